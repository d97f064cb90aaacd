package io.quarkiverse.lock.testkit.random;

import io.quarkiverse.lock.LockHandle;

/** What the holders of locks do besides holding them. */
@FunctionalInterface
public interface Duty {

    /** Does nothing. */
    Duty NONE = handle -> () -> {
    };

    /** Called when a lock has been taken. The result is run before the lock is released, however long that takes. */
    Runnable begin(LockHandle handle);
}
