package io.quarkiverse.lock;

/** Whether holders may share a name. */
public enum LockMode {
    /** One holder at a time. */
    EXCLUSIVE,
    /** Many holders at a time, none of them exclusive. */
    SHARED
}
