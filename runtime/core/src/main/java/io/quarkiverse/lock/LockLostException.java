package io.quarkiverse.lock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was lost before it was released: others may hold it now. It stays lost. Each failing call gets its own exception,
 * whose stack trace shows that call.
 */
public class LockLostException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public LockLostException(String name, String message, @Nullable Throwable cause) {
        super(name, message, cause);
    }
}
