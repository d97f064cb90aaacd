package io.quarkiverse.lock;

import io.quarkiverse.lock.text.PrintableName;

/** The thread was interrupted while it waited for the lock, or before it began to wait. Its interrupt flag is set. */
public class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public LockInterruptedException(String name) {
        super(name, "Interrupted while waiting for the lock '" + PrintableName.of(name) + "'", null);
    }
}
