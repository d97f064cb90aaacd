package io.quarkiverse.lock.jpa.pessimistic;

import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.runtime.transaction.LastLook;
import io.quarkiverse.lock.spi.LockTransactions;

/** Transactions of JTA. */
public final class JtaLockTransactions implements LockTransactions {

    private static final String SILENT = "The transaction manager does not answer";

    private final TransactionManager manager;
    private final TransactionSynchronizationRegistry registry;

    public JtaLockTransactions(TransactionManager manager, TransactionSynchronizationRegistry registry) {
        this.manager = manager;
        this.registry = registry;
    }

    @Override
    public boolean active() {
        return goesOn(status());
    }

    @Override
    public boolean committable() {
        return status() == Status.STATUS_ACTIVE;
    }

    private int status() {
        try {
            return manager.getStatus();
        } catch (SystemException e) {
            throw new IllegalStateException(SILENT, e);
        }
    }

    /** The current transaction; null if a timeout has just rolled it back. */
    @Nullable
    Transaction current() {
        try {
            return manager.getTransaction();
        } catch (SystemException e) {
            throw new IllegalStateException(SILENT, e);
        }
    }

    /** Whether a transaction, of whichever thread, has not begun to end. */
    static boolean goesOn(Transaction transaction) {
        try {
            return goesOn(transaction.getStatus());
        } catch (SystemException e) {
            return false;
        }
    }

    private static boolean goesOn(int status) {
        return status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK;
    }

    /**
     * Counts the resources of all data sources, including connections closed since. Not part of JTA: with another transaction
     * manager, it is unknown.
     */
    @Override
    public boolean mayHoldRows() {
        try {
            return !(manager.getTransaction() instanceof com.arjuna.ats.jta.transaction.Transaction known)
                    || !known.getResources().isEmpty();
        } catch (SystemException e) {
            throw new IllegalStateException(SILENT, e);
        }
    }

    @Override
    public @Nullable Object find(Object key) {
        return registry.getResource(key);
    }

    @Override
    public void keep(Object key, Object value) {
        registry.putResource(key, value);
    }

    @Override
    public void register(Completion completion) {
        try {
            Transaction transaction = manager.getTransaction();
            Object key = registry.getTransactionKey();
            transaction.registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    LastLook.take(registry, key, completion::beforeCommit);
                }

                @Override
                public void afterCompletion(int status) {
                    completion.ended(status == Status.STATUS_COMMITTED);
                }
            });
        } catch (RollbackException | IllegalStateException e) {
            throw new IllegalStateException(committable()
                    ? "The active transaction is about to commit and does its last work, such as Hibernate's flush: no lock "
                            + "can be taken in it any more. Take the lock before that, or flush before the transaction ends"
                    : "The active transaction can only be rolled back: no lock can be taken in it", e);
        } catch (SystemException e) {
            throw new IllegalStateException(SILENT, e);
        }
    }

    @Override
    public void begin() {
        try {
            manager.begin();
        } catch (NotSupportedException e) {
            throw new IllegalStateException("This thread has one that is just ending, most likely because it took too long. "
                    + "Allow it more time (quarkus.transaction-manager.default-transaction-timeout, "
                    + "@TransactionConfiguration)", e);
        } catch (SystemException e) {
            throw new IllegalStateException(SILENT, e);
        }
    }

    @Override
    public void commit() throws Exception {
        manager.commit();
    }

    @Override
    public void rollback() {
        try {
            if (manager.getTransaction() != null) {
                manager.rollback();
            }
        } catch (SystemException e) {
            throw new IllegalStateException(SILENT, e);
        }
    }

    /** The database has undone the current transaction, so it must not be committed. */
    void undone() {
        try {
            manager.setRollbackOnly();
        } catch (SystemException | IllegalStateException e) {
            // It has ended, which is just as good
        }
    }
}
