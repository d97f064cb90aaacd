package io.quarkiverse.lock;

/** Who may hold a name together. */
public enum LockMode {
    /** One holder at a time. */
    EXCLUSIVE,
    /** Many holders at a time, none of them exclusive. */
    SHARED
}
