package io.quarkiverse.lock;

/**
 * The lock was still held by somebody else when the wait was over: the store has said so within this wait, or a hold or waiter
 * of this JVM is in front. Where nobody knows, it is a {@link LockBackendException}. The message says who holds it, as far as
 * that is known.
 */
public class LockBusyException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public LockBusyException(String name, String message) {
        super(name, message, null);
    }
}
