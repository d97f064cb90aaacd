package io.quarkiverse.lock;

/** The lock was still held by somebody else when the wait was over. The message says who, as far as that is known. */
public class LockBusyException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public LockBusyException(String name, String message) {
        super(name, message, null);
    }
}
