package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.DriverManager;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.agroal.api.AgroalDataSource;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** Locks in transactions, for those groups of the contract that need neither leases nor threads other than the caller's. */
final class PessimisticEnvironment implements ContractEnvironment {

    private final DatabaseServer server;
    private final String namespace = "contract-" + UUID.randomUUID();
    private final List<AgroalDataSource> pools = new CopyOnWriteArrayList<>();

    PessimisticEnvironment(DatabaseServer server) {
        this.server = server;
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
    public LockBackend backend(String owner) {
        AgroalDataSource pool = Databases.pool(server.kind(), server.url(), server.user(), server.password(), 100,
                new NarayanaTransactionIntegration(TransactionalJvm.TRANSACTIONS, TransactionalJvm.REGISTRY));
        pools.add(pool);
        var sessions = Databases.sessions(server.kind());
        return new PessimisticLockBackend(LockDatabase.of(pool, sessions, null,
                Databases.OPTIONS.withOperationTimeout(Duration.ofSeconds(10))), sessions,
                () -> DriverManager.getConnection(server.url(), server.user(), server.password()),
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
