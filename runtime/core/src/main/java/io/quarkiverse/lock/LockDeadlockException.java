package io.quarkiverse.lock;

/**
 * The lock was busy, and would have been until the end of the wait: its holder waited for a lock that this caller has, or for
 * one whose holder did, and so on. Of those who wait in such a circle one gets this, so that the others get their locks: the
 * one with the shortest wait, or the last to wait where several wait as long. The message names the circle.
 * <p>
 * It is busy like any other lock, so what {@code onBusy} says is done, and {@code tryAcquire} returns empty. Give back what you
 * hold before you try again.
 */
public class LockDeadlockException extends LockBusyException {

    private static final long serialVersionUID = 1L;

    /** @param name the name of the lock that was waited for */
    public LockDeadlockException(String name, String message) {
        super(name, message);
    }
}
