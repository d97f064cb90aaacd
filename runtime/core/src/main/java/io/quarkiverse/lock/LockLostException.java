package io.quarkiverse.lock;

import org.jspecify.annotations.Nullable;

/** The lock was lost before it was released: others may hold it now. It stays lost. */
public class LockLostException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public LockLostException(String name, String message, @Nullable Throwable cause) {
        super(name, message, cause);
    }
}
