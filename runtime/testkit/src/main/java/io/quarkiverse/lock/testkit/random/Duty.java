package io.quarkiverse.lock.testkit.random;

import io.quarkiverse.lock.LockHandle;

/** What the holders of locks do with them, besides holding them. */
@FunctionalInterface
public interface Duty {

    /** Nothing. */
    Duty NONE = handle -> () -> {
    };

    /** Called when a lock has been taken; what is returned is run before it is given back, however long that takes. */
    Runnable begin(LockHandle handle);
}
