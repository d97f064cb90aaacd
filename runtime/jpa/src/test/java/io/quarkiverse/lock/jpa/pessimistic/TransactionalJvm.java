package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import javax.sql.XADataSource;

import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.jpa.dialect.H2LockDialect;
import io.quarkiverse.lock.jpa.dialect.PortableLockDialect;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.smallrye.mutiny.Uni;

/** Stands for a JVM whose locks live in transactions: a pool, an engine, and this process's transactions. */
public final class TransactionalJvm implements AutoCloseable {

    public static final TransactionManager TRANSACTIONS = com.arjuna.ats.jta.TransactionManager.transactionManager();
    public static final TransactionSynchronizationRegistry REGISTRY = new TransactionSynchronizationRegistryImple();

    private static final Duration PATIENCE = Duration.ofSeconds(10); // connections are slow on a busy machine

    static {
        // Mutiny looks for its plug-ins at the first use, which is not safe on two threads at once
        Uni.createFrom().item(() -> true).await().indefinitely();
    }

    public final LockDatabase database;
    public final PessimisticLockBackend backend;
    public final LockEngine engine;
    public final LockManager locks;
    public final AgroalDataSource pool;

    public TransactionalJvm(String kind, String url, String user, String password, String namespace, int poolSize,
            Duration lease,
            boolean portable) {
        this(kind, url, user, password, namespace, poolSize, lease, portable, TransactionIsolation.UNDEFINED,
                () -> DriverManager.getConnection(url, user, password));
    }

    /** @param outside makes the connections outside the pool */
    public TransactionalJvm(String kind, String url, String user, String password, String namespace, int poolSize,
            Duration lease,
            boolean portable, TransactionIsolation isolation, UnpooledConnections outside) {
        this(kind, Databases.pool(kind, url, user, password, poolSize,
                new NarayanaTransactionIntegration(TRANSACTIONS, REGISTRY), PATIENCE, isolation), namespace, lease, portable,
                outside);
    }

    private TransactionalJvm(String kind, AgroalDataSource pool, String namespace, Duration lease, boolean portable,
            UnpooledConnections outside) {
        this.pool = pool;
        var sessions = Databases.sessions(kind);
        JpaLockOptions options = JpaLockOptions.STANDARD;
        database = portable
                ? LockDatabase.of(pool, sessions, new PortableLockDialect("h2", H2LockDialect.NOW, ""), outside, options)
                : LockDatabase.of(pool, sessions, outside, options);
        backend = new PessimisticLockBackend(database, sessions, new JtaLockTransactions(TRANSACTIONS, REGISTRY), namespace,
                "test");
        engine = LockEngine.builder(backend).start();
        locks = engine.manager(new ManagerDefaults("<default>", Duration.ofSeconds(20), lease, true, null,
                ManagerDefaults.STANDARD.onLost()));
    }

    public TransactionalJvm(DatabaseServer server, String namespace, boolean portable) {
        this(server.kind(), server.url(), server.user(), server.password(), namespace, 16, Duration.ofSeconds(30), portable);
    }

    /** @param xaDataSource the driver's */
    public static TransactionalJvm xa(DatabaseServer server, String namespace, Class<? extends XADataSource> xaDataSource)
            throws SQLException {
        var pool = AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(each -> each
                .maxSize(8).transactionIntegration(new NarayanaTransactionIntegration(TRANSACTIONS, REGISTRY))
                .acquisitionTimeout(PATIENCE)
                .connectionFactoryConfiguration(factory -> factory.connectionProviderClass(xaDataSource)
                        .jdbcUrl(server.url()).principal(new NamePrincipal(server.user()))
                        .credential(new SimplePassword(server.password())))));
        return new TransactionalJvm(server.kind(), pool, namespace, Duration.ofSeconds(30), false, server::connect);
    }

    /** In a new transaction, which is committed unless the body fails. */
    public static <T> T inTransaction(Callable<T> body) throws Exception {
        TRANSACTIONS.begin();
        T result;
        try {
            result = body.call();
        } catch (Throwable e) {
            if (TRANSACTIONS.getTransaction() != null) {
                TRANSACTIONS.rollback();
            }
            throw e;
        }
        TRANSACTIONS.commit();
        return result;
    }

    /** Whether nobody holds the lock, asked in a new transaction. */
    static boolean free(TransactionalJvm jvm, String name) throws Exception {
        return inTransaction(() -> jvm.locks.lock(name).tryAcquire(Duration.ZERO).isPresent());
    }

    /** On another thread, which has no transaction. */
    static <T> CompletableFuture<T> start(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        }, "pessimistic");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    /** In the current transaction. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** In the current transaction. */
    public String read(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Counts this many times, each in a new transaction under a lock that lives in it. Returns how often it did. */
    int count(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            locks.lock("counter", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(120))).call(() -> {
                int amount = Integer.parseInt(read("SELECT amount FROM pess_work WHERE id = 1"));
                Thread.yield();
                execute("UPDATE pess_work SET amount = " + (amount + 1) + " WHERE id = 1");
                return amount;
            });
        }
        return times;
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
    }
}
