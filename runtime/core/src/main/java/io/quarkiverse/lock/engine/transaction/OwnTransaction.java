package io.quarkiverse.lock.engine.transaction;

import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.spi.LockTransactions;
import io.quarkiverse.lock.text.PrintableName;

/**
 * The transaction begun for a lock when the caller has none. It is committed when the body returns, and rolled back when the
 * body throws anything.
 */
public final class OwnTransaction {

    private final String name;
    private final LockTransactions transactions;
    private final TransactionalLocks locks;

    OwnTransaction(String name, LockTransactions transactions, TransactionalLocks locks) {
        this.name = name;
        this.transactions = transactions;
        this.locks = locks;
    }

    <T> @Nullable T call(Callable<T> body) throws Exception {
        begin();
        T result;
        try {
            result = body.call();
        } catch (Throwable failure) {
            rollback(failure);
            throw failure;
        }
        if (!transactions.committable()) {
            LockLostException lost = new LockLostException(name, "Lock '" + PrintableName.of(name)
                    + "' and what was done under it in the "
                    + "database are gone: the transaction begun for it can only be rolled back. Something in the body has marked "
                    + "it so, or it took longer than quarkus.transaction-manager.default-transaction-timeout", null);
            rollback(lost);
            throw lost;
        }
        commit();
        return result;
    }

    private void begin() {
        try {
            transactions.begin();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "Lock '" + PrintableName.of(name) + "': no transaction could be started for it. " + e.getMessage(), e);
        }
    }

    private void rollback(Throwable primary) {
        try {
            transactions.rollback();
        } catch (RuntimeException e) {
            primary.addSuppressed(e);
        }
    }

    private void commit() {
        try {
            transactions.commit();
        } catch (Exception failure) {
            Exception explained = locks.commitFailed(name, failure);
            throw explained instanceof LockLostException lost ? lost
                    : new LockBackendException(name,
                            "Lock '" + PrintableName.of(name) + "': the transaction begun for it could not be committed: "
                                    + failure,
                            failure);
        }
    }
}
