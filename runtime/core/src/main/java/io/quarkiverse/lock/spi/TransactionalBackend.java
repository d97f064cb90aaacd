package io.quarkiverse.lock.spi;

/**
 * A backend whose locks belong to the transaction of the thread that takes them, and end with it. A grant by
 * {@link #acquireNow} is only the turn among the callers of this JVM, under fence 0; {@link #lock} then takes the lock itself.
 * A grant serves one hold and is never handed on.
 *
 * <p>
 * {@link #renew} checks whether the transactions still have their locks.
 */
public interface TransactionalBackend extends InMemoryBackend {

    /** What {@link #lock} returns when the wait is over. */
    long BUSY = -1;

    LockTransactions transactions();

    /**
     * Takes the lock in the current thread's transaction; blocks the thread meanwhile.
     *
     * @param grant the turn in this JVM
     * @param waitNanos how long to wait for other JVMs; 0 asks once
     * @return the backend's fence counter, as {@link Grant#fence}, or {@link #BUSY}: then the transaction is unchanged
     * @throws io.quarkiverse.lock.LockInterruptedException if the thread is interrupted; its flag is set then
     * @throws io.quarkiverse.lock.LockBackendException if that fails; says what happened to the transaction
     */
    long lock(Grant grant, long waitNanos);

    /**
     * How long the store has owed its answer to {@link #lock}, counted from the end of the requested wait. Callers here that
     * stand behind such a caller are not told that the lock is busy, because the store has not said so. Called from any thread;
     * must not block.
     *
     * @param grant the turn in this JVM
     * @return nanoseconds; 0 or less if it owes none, or if the backend does not know
     */
    default long silentFor(Grant grant) {
        return 0;
    }

    /**
     * Whether the current thread's transaction still has the lock. A database may have undone everything done in it, including
     * the lock, and continue in another one; code that catches the error does not notice. Called before the commit.
     *
     * @return {@code false} only if it certainly does not have it
     * @throws io.quarkiverse.lock.LockLostException if it is gone with its connection: then nothing is committed, even if such
     *         a loss does not count as a failure
     * @throws io.quarkiverse.lock.LockBackendException if that is unknown: then nothing is committed either
     */
    default boolean hasLock(Grant grant) {
        return true;
    }

    /**
     * Whether this failure of a commit means that a connection was gone while it was committed, so that nobody knows the
     * outcome. Not if the commit was not tried.
     */
    boolean isLoss(Throwable failure);

    /** What to use instead of features that only locks outside a transaction have, for messages. */
    String alternative();
}
