package io.quarkiverse.lock;

/**
 * The lock was still held by another caller when the wait was over: the store has said so during this wait, or a hold or waiter
 * of this JVM is in front. If that is unknown, a {@link LockBackendException} is thrown instead. The message names the holder,
 * if known.
 */
public class LockBusyException extends LockException {

    private static final long serialVersionUID = 1L;

    /** @param name the lock's name */
    public LockBusyException(String name, String message) {
        super(name, message, null);
    }
}
