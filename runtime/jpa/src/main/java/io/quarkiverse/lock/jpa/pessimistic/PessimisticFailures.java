package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Predicate;

import javax.transaction.xa.XAException;

import jakarta.transaction.RollbackException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkiverse.lock.text.PrintableName;

/** What an error means for a lock in a transaction, and for the transaction itself. */
public final class PessimisticFailures {

    private final JtaLockTransactions transactions;
    private final RowLock rowLock;
    private final ErrorMessages errors;
    private final String lockTable;
    private final String dataSource;

    PessimisticFailures(JtaLockTransactions transactions, RowLock rowLock, ErrorMessages errors, String lockTable,
            String dataSource) {
        this.transactions = transactions;
        this.rowLock = rowLock;
        this.errors = errors;
        this.lockTable = lockTable;
        this.dataSource = dataSource;
    }

    /** {@link TransactionalBackend#BUSY}, or an exception. */
    long busyOrFailed(String name, Exception failure) {
        if (failure instanceof LockException known) {
            throw known;
        }
        if (SqlFailure.sql(failure) == null && failure instanceof RuntimeException known
                && !(failure instanceof jakarta.persistence.PersistenceException)) {
            throw known;
        }
        RowLockFailure why = rowLock.why(failure);
        if ((why == RowLockFailure.BUSY || why == RowLockFailure.CANCELLED) && Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(name);
        }
        if (why == RowLockFailure.BUSY) {
            return TransactionalBackend.BUSY;
        }
        if (why == RowLockFailure.BUSY_AND_UNDONE) {
            transactions.undone();
            throw new LockBackendException(name, "Lock '" + PrintableName.of(name)
                    + "' is busy, and the database has rolled back the transaction that waited for it: " + said(failure)
                    + ". Take the lock before anything else is done in the transaction, or try the whole call again", failure);
        }
        if (why == RowLockFailure.DEADLOCK) {
            transactions.undone();
            throw new LockBackendException(name, "Lock '" + PrintableName.of(name)
                    + "': the database has rolled back its transaction, because of a deadlock with another one or because "
                    + "another node of the cluster has written the same row: " + said(failure)
                    + ". Take locks and rows in the same order everywhere, such as by name, and try the whole call again",
                    failure);
        }
        if (why == RowLockFailure.STALE) {
            transactions.undone();
            throw new LockBackendException(name, "Lock '" + PrintableName.of(name)
                    + "': its transaction sees the database as it was before others held the lock, and can only be rolled back: "
                    + said(failure)
                    + ". Take the lock before anything is read in the transaction, use the isolation level READ "
                    + "COMMITTED (" + dataSource + "jdbc.transaction-isolation-level=read-committed), or "
                    + "try the whole call again",
                    failure);
        }
        if (transactions.mayHoldRows() && anyPart(failure, PessimisticFailures::enlistsNoSecond)) {
            throw besideAnother(name, failure);
        }
        if (connectionLost(failure)) {
            transactions.undone();
        }
        throw errors.failure(name, failure);
    }

    private static @Nullable String said(Throwable failure) {
        SQLException sql = SqlFailure.sql(failure);
        return sql == null ? failure.getMessage() : sql.getMessage();
    }

    LockBackendException noRow(String name) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': its row in " + lockTable
                + " was inserted after its transaction had begun to read, so the transaction does not see it; or it was "
                + "deleted just now by something other than Quarkus Lock. Take the lock before anything is read in the "
                + "transaction, use the isolation level READ COMMITTED (" + dataSource
                + "jdbc.transaction-isolation-level=read-committed), or try the whole call again", null);
    }

    LockBackendException notBegunAnew(String name, Exception failure) {
        transactions.undone();
        return new LockBackendException(name, "Lock '" + PrintableName.of(name)
                + "': its transaction has to be restarted to get it, which XA does not allow, so it can only be rolled back: "
                + said(failure) + ". Try the whole call again", failure);
    }

    /**
     * What a failed check before a commit means: returns false if the lock is gone, or throws. A transaction that the database
     * has undone for it must not appear to be committed, even if the loss alone would not count as a failure.
     */
    boolean othersHaveIt(String name, Exception failure) {
        RowLockFailure why = rowLock.why(failure);
        if (rowLock.unlessOthersHaveIt().isEmpty() || why != RowLockFailure.BUSY && !why.undoes()) {
            throw notLookedFor(name, failure);
        }
        if (why.undoes()) {
            transactions.undone();
        }
        return false;
    }

    /** A driver may have reconnected by itself: the commit would then find nothing to commit, and succeed. */
    LockLostException goneWithItsConnection(String name, Exception failure) {
        return new LockLostException(name, "Lock '" + PrintableName.of(name) + "' was lost with the connection of its "
                + "transaction before the commit, and nothing that was done in it is kept: " + said(failure), failure);
    }

    private LockBackendException notLookedFor(String name, Exception failure) {
        if (SqlFailure.sql(failure) == null || SqlFailure.of(failure) != SqlFailure.REFUSED) {
            return errors.failure(name, failure);
        }
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': its row could not be looked up in "
                + lockTable + " before the commit, so nothing was committed: " + said(failure)
                + ". A method that takes another role in SQL (SET ROLE) has to give it back before its transaction ends, "
                + "unless that role may read the table, and on MariaDB, MySQL and H2 write it", failure);
    }

    IllegalStateException notEnlisted(String name) {
        return new IllegalStateException(
                "Lock '" + PrintableName.of(name) + "' is to be part of the active transaction, but the data source is "
                        + "not: set " + dataSource + "jdbc.transactions=enabled, or "
                        + "quarkus.lock.jpa.strategy=lease");
    }

    /** As Agroal says it, without an SQL state; also of a dead connection that would be the transaction's first. */
    private static boolean enlistsNoSecond(Throwable failure) {
        return failure instanceof SQLException && String.valueOf(failure.getMessage()).contains("from another datasource");
    }

    private IllegalStateException besideAnother(String name, Exception failure) {
        return new IllegalStateException("Lock '" + PrintableName.of(name)
                + "' is to be part of the active transaction, but that has a connection of another data source, and only XA "
                + "allows two: set " + dataSource + "jdbc.transactions=xa and the same for the other one, or "
                + "quarkus.lock.jpa.strategy=lease", failure);
    }

    /** Whether any part of it says that a connection is gone. */
    static boolean connectionLost(Throwable failure) {
        return anyPart(failure, each -> each instanceof SQLException && SqlFailure.of(each) == SqlFailure.CONNECTION);
    }

    /**
     * Whether a connection was gone when it was to commit, so that nobody knows the outcome. Failures before that, such as
     * those of synchronizations, may be about any connection, and only turn the commit into a rollback, which may fail as well.
     */
    static boolean lostInCommit(Throwable failure) {
        return connectionLost(failure) && !anyPart(failure, PessimisticFailures::notTried)
                && (!anyPart(failure, RollbackException.class::isInstance) || anyPart(failure, XAException.class::isInstance));
    }

    /** The cause is what a synchronization has thrown; failures of connections are only added. */
    private static boolean notTried(Throwable failure) {
        return failure instanceof RollbackException && failure.getCause() != null
                && !(failure.getCause() instanceof XAException);
    }

    private static boolean anyPart(Throwable failure, Predicate<Throwable> wanted) {
        return anyPart(failure, wanted, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static boolean anyPart(@Nullable Throwable failure, Predicate<Throwable> wanted, Set<Throwable> seen) {
        if (failure == null || !seen.add(failure)) {
            return false;
        }
        if (wanted.test(failure)) {
            return true;
        }
        for (Throwable each : failure.getSuppressed()) {
            if (anyPart(each, wanted, seen)) {
                return true;
            }
        }
        return anyPart(failure.getCause(), wanted, seen);
    }
}
