package io.quarkiverse.lock.jpa.pessimistic;

import java.time.Duration;
import java.util.Objects;

import jakarta.transaction.Transaction;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A turn in this JVM, and then a row locked in a transaction. */
public final class TransactionGrant extends Grant {

    private final String id;
    private volatile RowLock.@Nullable Locked row;
    private volatile @Nullable Transaction transaction;
    private volatile long lockedAt;
    private volatile boolean asking;
    private volatile long answerDue;
    private volatile boolean missed;

    TransactionGrant(Claim claim, String id, long now) {
        super(claim, 0, now);
        this.id = id;
    }

    /** @param transaction null if a timeout has just rolled it back */
    void locked(RowLock.Locked row, @Nullable Transaction transaction) {
        this.transaction = transaction;
        lockedAt = System.nanoTime();
        this.row = row;
    }

    /** @param due when the database's answer is due, as {@link System#nanoTime()} */
    void asking(long due) {
        answerDue = due;
        asking = true;
    }

    void answered() {
        asking = false;
    }

    /** How long the database's answer has been overdue, in nanoseconds; 0 or less if none is. */
    long silentFor() {
        return asking ? System.nanoTime() - answerDue : 0;
    }

    /** How long ago the row was locked; only after that. */
    Duration lockedFor() {
        return Duration.ofNanos(System.nanoTime() - lockedAt);
    }

    /** Whether it is more than a turn. */
    boolean locked() {
        return row != null;
    }

    String id() {
        return id;
    }

    /** The row as it was locked; only after that. */
    RowLock.Locked row() {
        return Objects.requireNonNull(row, "not locked yet");
    }

    /** The fence counter with which the row was locked. */
    long lockFence() {
        RowLock.Locked locked = row;
        return locked == null ? 0 : locked.fence();
    }

    /** The session that has locked the row; null if the database does not tell. */
    RowLock.@Nullable Session session() {
        RowLock.Locked locked = row;
        return locked == null ? null : locked.session();
    }

    /** The same for all locks of one transaction. */
    Object transaction() {
        Transaction known = transaction;
        return known == null ? this : known;
    }

    /**
     * Whether it may be missing only because its transaction ends: the end frees the row, and perhaps the connection, a moment
     * before it is reported. True once: an end that hangs on a dead connection, or fails, may never be reported.
     */
    boolean mayJustEnd() {
        Transaction known = transaction;
        if (missed || known != null && JtaLockTransactions.goesOn(known)) {
            return false;
        }
        missed = true;
        return true;
    }
}
