package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.REGISTRY;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;
import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.Intercepted;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;
import io.quarkiverse.lock.testkit.server.MariaDbServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A name that was unused for as long as its row is kept, as with a weekly job, at the moment when that row is purged. */
@Timeout(180)
class PurgedNameTest {

    private static final List<TransactionIsolation> ISOLATIONS = List.of(TransactionIsolation.READ_COMMITTED,
            TransactionIsolation.REPEATABLE_READ, TransactionIsolation.SERIALIZABLE);
    private static final long IDLE = JpaLockOptions.STANDARD.purgeAfter().toNanos() / 1000;

    /** The caller's checks of whether the purge may hold the row. */
    private final AtomicInteger looks = new AtomicInteger();

    @AfterEach
    void end() throws Exception {
        if (TRANSACTIONS.getTransaction() != null) {
            TRANSACTIONS.rollback();
        }
    }

    @Test
    @Fault(467)
    void fault467_purgedNameIsNotBusy() throws Exception {
        try (var server = Databases.prepared(new H2Database())) {
            isNotBusy(server);
        }
    }

    @Test
    @Fault(467)
    void fault467_purgedNameIsNotBusyOnPostgres() throws Exception {
        try (var server = Databases.prepared(PostgresServer.start(Map.of()))) {
            isNotBusy(server);
        }
    }

    @Test
    @Fault(467)
    @FullBuild
    void fault467_purgedNameIsNotBusyOnMariaDb() throws Exception {
        try (var server = Databases.prepared(MariaDbServer.start())) {
            isNotBusy(server);
        }
    }

    private void isNotBusy(DatabaseServer server) throws Exception {
        for (TransactionIsolation isolation : ISOLATIONS) {
            for (boolean deleted : new boolean[] { true, false }) {
                isNotBusy(server, isolation, deleted);
            }
        }
    }

    /** A look at the row must not wait for its holder, as a plain read would on MariaDB at SERIALIZABLE. */
    private static void isBusyAtOnce(LockManager locks, LockManager others) throws Exception {
        inTransaction(() -> {
            others.lock("held").acquire();
            long start = System.nanoTime();
            assertThat(CompletableFuture.supplyAsync(() -> {
                try {
                    return tryOnce(locks.lock("held")::tryAcquire);
                } catch (Exception e) {
                    throw new CompletionException(e);
                }
            }).get(60, TimeUnit.SECONDS)).isFalse();
            assertThat(System.nanoTime() - start).isLessThan(JpaLockOptions.STANDARD.operationTimeout().toNanos());
            return true;
        });
    }

    private void isNotBusy(DatabaseServer server, TransactionIsolation isolation, boolean deleted) throws Exception {
        String namespace = "purged-" + isolation + deleted;
        AgroalDataSource pool = Databases.pool(server.kind(), server.url(), server.user(), server.password(), 4,
                new NarayanaTransactionIntegration(TRANSACTIONS, REGISTRY), Duration.ofSeconds(10), isolation);
        try (pool; Connection purge = server.connect()) {
            // The row is free when it is asked for again
            DataSource watched = Intercepted.statements(pool, sql -> {
                if (sql.startsWith("SELECT 1 FROM quarkus_lock WHERE id = ? AND NOT (") && looks.incrementAndGet() == 1) {
                    purge.commit();
                }
            });
            LockDatabase database = database(server, watched);
            try (LockEngine engine = engine(server, database, namespace);
                    LockEngine other = engine(server, database(server, pool), namespace)) {
                var locks = engine.manager(ManagerDefaults.STANDARD);
                assertThat(tryOnce(locks.lock("weekly")::tryAcquire)).isTrue();
                looks.set(1);
                isBusyAtOnce(locks, other.manager(ManagerDefaults.STANDARD));
                execute(server, "UPDATE quarkus_lock SET since = since - " + (IDLE + 60_000_000) + ", fence = fence - 60000000 "
                        + "WHERE name LIKE '" + namespace + "%'");
                purge.setAutoCommit(false);
                var connection = new LockConnection(purge);
                List<String> ids = connection.all("SELECT id FROM quarkus_lock WHERE name LIKE '" + namespace + "%weekly'",
                        row -> row.getString(1));
                purge.commit();
                looks.set(0);
                Object[] idle = { ids.get(0), IDLE };
                assertThat(connection.all(database.statements().lockIdle(1), row -> row.getString(1), idle)).hasSize(1);
                if (deleted) {
                    assertThat(connection.update(database.statements().purge(1), idle)).isEqualTo(1);
                }
                boolean mayLook = isolation != TransactionIsolation.SERIALIZABLE || !server.kind().equals("mariadb");
                assertThat(tryOnce(locks.lock("weekly")::tryAcquire)).as("%s, deleted: %s", isolation, deleted)
                        .isEqualTo(mayLook);
                purge.commit();
            }
        }
    }

    private static LockDatabase database(DatabaseServer server, DataSource dataSource) {
        return LockDatabase.of(dataSource, Databases.sessions(server.kind()), server::connect, JpaLockOptions.STANDARD);
    }

    private static LockEngine engine(DatabaseServer server, LockDatabase database, String namespace) {
        return LockEngine.builder(new PessimisticLockBackend(database, Databases.sessions(server.kind()),
                new JtaLockTransactions(TRANSACTIONS, REGISTRY), namespace, "test")).start();
    }

    @FunctionalInterface
    private interface Attempt {

        Optional<?> within(Duration wait);
    }

    private static boolean tryOnce(Attempt attempt) throws Exception {
        return inTransaction(() -> attempt.within(Duration.ZERO).isPresent());
    }

    private static void execute(DatabaseServer server, String sql) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
