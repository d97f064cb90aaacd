package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.DriverManager;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** Locks in transactions, for the groups of the contract that need neither leases nor threads other than the caller's. */
final class PessimisticEnvironment implements ContractEnvironment {

    private static final Duration PATIENCE = Duration.ofSeconds(10); // connections are slow on a busy machine

    private final DatabaseServer server;
    private final TransactionIsolation isolation;
    private final String namespace = "contract-" + UUID.randomUUID();
    private final List<AgroalDataSource> pools = new CopyOnWriteArrayList<>();

    PessimisticEnvironment(DatabaseServer server) {
        this(server, TransactionIsolation.UNDEFINED);
    }

    /** @param isolation of the callers' transactions */
    PessimisticEnvironment(DatabaseServer server, TransactionIsolation isolation) {
        this.server = server;
        this.isolation = isolation;
    }

    @Override
    public String name() {
        return "pessimistic";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.noneOf(Ability.class);
    }

    @Override
    public double repetitions() {
        return server.kind().equals("postgresql") ? 1 : Databases.FEWER;
    }

    /** Each has its own transaction, and that has a connection. */
    @Override
    public int manyLocks() {
        return 50;
    }

    @Override
    public String listed(String name) {
        return new Databases().listed(namespace, name);
    }

    @Override
    public LockBackend backend(String owner) {
        AgroalDataSource pool = Databases.pool(server.kind(), server.url(), server.user(), server.password(), 100,
                new NarayanaTransactionIntegration(TransactionalJvm.TRANSACTIONS, TransactionalJvm.REGISTRY), PATIENCE,
                isolation);
        pools.add(pool);
        var sessions = Databases.sessions(server.kind());
        return new PessimisticLockBackend(LockDatabase.of(pool, sessions,
                () -> DriverManager.getConnection(server.url(), server.user(), server.password()),
                Databases.OPTIONS.withOperationTimeout(PATIENCE)), sessions,
                new JtaLockTransactions(TransactionalJvm.TRANSACTIONS, TransactionalJvm.REGISTRY), namespace, owner);
    }

    @Override
    public LockManager manager(LockManager plain) {
        return new HandleTransactions(plain);
    }

    @Override
    public void close() {
        pools.forEach(AgroalDataSource::close);
    }
}
