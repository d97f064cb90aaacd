package io.quarkiverse.lock.jpa.pessimistic;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A turn in this JVM, and then a row that is locked in a transaction. */
public final class TransactionGrant extends Grant {

    private final String id;
    private volatile RowLock.@Nullable Session session;
    private volatile Object transaction = this;
    private volatile long fence;
    private volatile boolean afterSavepoint;
    private volatile boolean asking;
    private volatile long answerDue;

    TransactionGrant(Claim claim, String id, long now) {
        super(claim, 0, now);
        this.id = id;
    }

    /** @param transaction what its locks have in common */
    void locked(RowLock.Locked row, Object transaction) {
        session = row.session();
        afterSavepoint = row.afterSavepoint();
        this.transaction = transaction;
        fence = row.fence();
    }

    /** @param due when the database's answer is, as {@link System#nanoTime()} */
    void asking(long due) {
        answerDue = due;
        asking = true;
    }

    void answered() {
        asking = false;
    }

    /** For how long the database has owed an answer, in nanoseconds; 0 or less if it owes none. */
    long silentFor() {
        return asking ? System.nanoTime() - answerDue : 0;
    }

    /** Whether it is more than a turn. */
    boolean locked() {
        return fence != 0;
    }

    String id() {
        return id;
    }

    /** The fence counter with which the row was locked. */
    long lockFence() {
        return fence;
    }

    /** Whether going back to a savepoint may have given the lock up. */
    boolean afterSavepoint() {
        return afterSavepoint;
    }

    /** Which has locked the row; null if the database does not tell. */
    RowLock.@Nullable Session session() {
        return session;
    }

    /** The same for all locks of one transaction. */
    Object transaction() {
        return transaction;
    }
}
