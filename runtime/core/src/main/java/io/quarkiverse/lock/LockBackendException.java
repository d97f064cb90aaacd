package io.quarkiverse.lock;

import org.jspecify.annotations.Nullable;

/**
 * The backend cannot be reached, or does not answer in time: whether the lock is free or busy is unknown. The message names the
 * configuration to look at.
 */
public class LockBackendException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public LockBackendException(String name, String message, @Nullable Throwable cause) {
        super(name, message, cause);
    }
}
