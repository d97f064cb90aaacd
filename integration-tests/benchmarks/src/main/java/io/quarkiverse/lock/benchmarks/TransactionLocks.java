package io.quarkiverse.lock.benchmarks;

import java.time.Duration;

import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

import org.jspecify.annotations.Nullable;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;

import io.agroal.api.AgroalDataSource;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.LeaseTables;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.pessimistic.JtaLockTransactions;
import io.quarkiverse.lock.jpa.pessimistic.PessimisticLockBackend;

/** Locks that live in the caller's transaction: it begins before the lock is taken, and its commit releases the lock. */
final class TransactionLocks implements Peer {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final TransactionManager TRANSACTIONS = com.arjuna.ats.jta.TransactionManager.transactionManager();

    private final AgroalDataSource pool;
    private final LockEngine engine;
    private final LockManager locks;

    TransactionLocks(String url) {
        TransactionSynchronizationRegistry registry = new TransactionSynchronizationRegistryImple();
        pool = PostgresProcess.pool(url, new NarayanaTransactionIntegration(TRANSACTIONS, registry));
        LockDatabase database = LockDatabase.of(pool, LeaseTables.SESSIONS, () -> PostgresProcess.connect(url),
                JpaLockOptions.STANDARD);
        engine = LockEngine.builder(new PessimisticLockBackend(database, LeaseTables.SESSIONS,
                new JtaLockTransactions(TRANSACTIONS, registry), OurLocks.ROOT, "bench"))
                .start();
        locks = engine.manager(new ManagerDefaults("<default>", WAIT, ManagerDefaults.STANDARD.lease(), true, null,
                ManagerDefaults.STANDARD.onLost()));
        Mutex first = mutex("first");
        first.lock();
        first.unlock();
    }

    @Override
    public Mutex mutex(String name) {
        return new Held(locks.lock(name));
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
    }

    private static final class Held implements Mutex {

        private final DistributedLock lock;
        private @Nullable LockHandle handle;

        Held(DistributedLock lock) {
            this.lock = lock;
        }

        @Override
        public void lock() {
            try {
                TRANSACTIONS.begin();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            handle = lock.acquire();
        }

        @Override
        public void unlock() {
            LockHandle held = handle;
            if (held == null || !held.isValid()) {
                throw new IllegalStateException("Not held, or lost while held");
            }
            handle = null;
            try {
                TRANSACTIONS.commit();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
