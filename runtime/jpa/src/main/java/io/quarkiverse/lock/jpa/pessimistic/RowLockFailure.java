package io.quarkiverse.lock.jpa.pessimistic;

/** Why a row was not locked. */
public enum RowLockFailure {
    /** The wait timed out, and the transaction is as it was before. */
    BUSY,
    /** The wait timed out, and the database has undone the transaction for it. */
    BUSY_AND_UNDONE,
    /** Two transactions wait for each other, or have written the same row on two nodes of a cluster; this one is the victim. */
    DEADLOCK,
    /** The database cannot order this transaction after those it has not seen. */
    STALE,
    /** The statement was ended from outside. */
    CANCELLED,
    /** Everything else. */
    FAILED;

    /** Whether all the transaction's work is undone, or has to be. */
    boolean undoes() {
        return this == DEADLOCK || this == STALE || this == BUSY_AND_UNDONE;
    }

    /** Whether a transaction that has done nothing else yet can recover: it can begin anew and lock the row again. */
    boolean canBeginAnew() {
        return undoes();
    }
}
