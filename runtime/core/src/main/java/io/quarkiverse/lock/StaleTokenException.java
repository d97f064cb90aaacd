package io.quarkiverse.lock;

/** A later holder of the lock has already written: the write must not happen, and its transaction must be rolled back. */
public class StaleTokenException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public StaleTokenException(String name, String message) {
        super(name, message, null);
    }
}
