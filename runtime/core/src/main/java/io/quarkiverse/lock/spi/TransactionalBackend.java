package io.quarkiverse.lock.spi;

/**
 * A backend whose locks belong to the transaction of the thread that takes them, and end with it. What it grants through
 * {@link #acquireNow} is only the turn among the callers of this JVM, under fence 0; {@link #lock} then takes the lock itself.
 * A grant serves one hold and is never handed on.
 *
 * <p>
 * {@link #renew} finds out whether the transactions still have their locks.
 */
public interface TransactionalBackend extends InMemoryBackend {

    /** What {@link #lock} returns when the wait is over. */
    long BUSY = -1;

    LockTransactions transactions();

    /**
     * Takes the lock in the transaction of the current thread, and blocks it meanwhile.
     *
     * @param grant the turn in this JVM
     * @param waitNanos how long to wait for other JVMs; 0 asks once
     * @return the backend's fence counter, as {@link Grant#fence}, or {@link #BUSY}: then the transaction is as it was before
     * @throws io.quarkiverse.lock.LockInterruptedException if the thread is interrupted; its flag is set then
     * @throws io.quarkiverse.lock.LockBackendException if that fails; says what became of the transaction
     */
    long lock(Grant grant, long waitNanos);

    /**
     * For how long the store has owed its answer to {@link #lock}, counted from the end of the wait that it was asked for. Who
     * stands behind such a caller here is not told that the lock is busy, which the store has not said. Called from any
     * thread; must not block.
     *
     * @param grant the turn in this JVM
     * @return nanoseconds; 0 or less if it owes none, which is all that a backend says that does not know
     */
    default long silentFor(Grant grant) {
        return 0;
    }

    /**
     * Whether the transaction of the current thread still has the lock. A database may have undone all that was done in it, the
     * lock included, and go on in another one; whoever catches the error does not notice. Called before the commit.
     *
     * @return {@code false} only if it has not for certain
     * @throws io.quarkiverse.lock.LockLostException if it has gone with its connection: then nothing is committed, even if
     *         nobody minds the loss
     * @throws io.quarkiverse.lock.LockBackendException if nobody knows: then nothing is committed either
     */
    default boolean hasLock(Grant grant) {
        return true;
    }

    /** Whether a commit that failed like this has failed because the connection with the lock was gone. */
    boolean isLoss(Throwable failure);

    /** What to do about something that only locks with a life of their own can do, for messages. */
    String alternative();
}
