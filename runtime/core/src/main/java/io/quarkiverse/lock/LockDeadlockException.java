package io.quarkiverse.lock;

/**
 * The lock was busy and would have stayed so until the end of the wait. Its holder waited for a lock that this caller has, or
 * for one whose holder waited for such a lock, and so on. One caller in such a cycle gets this exception, so that the others
 * get their locks: the one with the shortest wait or, if several wait equally long, the last to start waiting. The message
 * describes the cycle; that of {@code asJavaLock().lock()} refers to the log.
 * <p>
 * It is treated like any busy lock, so {@code onBusy} applies, and {@code tryAcquire} returns empty. Release what you hold
 * before you try again.
 */
public class LockDeadlockException extends LockBusyException {

    private static final long serialVersionUID = 1L;

    /** @param name the name of the lock that was waited for */
    public LockDeadlockException(String name, String message) {
        super(name, message);
    }
}
