package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.dialect.LockDialect.FencedAt;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** A server that does not notice when a client has given up, and whose clock stands still while a statement waits. */
@FullBuild
class MariaDbBoundsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String OURS = "SELECT COUNT(*) FROM information_schema.processlist WHERE command = 'Query' "
            + "AND info LIKE '%quarkus_lock%' AND id <> CONNECTION_ID()";

    private static MariaDbServer server;

    private Locks locks;

    @BeforeAll
    static void start() {
        server = Databases.prepared(MariaDbServer.start());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        locks = new Locks(server);
    }

    @AfterEach
    void close() throws Exception {
        locks.close();
    }

    private LockDatabase database(Duration operationTimeout) {
        return LockDatabase.of(locks.pool(8), Databases.sessions("mariadb"), null,
                Databases.OPTIONS.withOperationTimeout(operationTimeout));
    }

    /** Like a row whose client has vanished in the middle of a step. */
    private Connection lockedRow(String name) throws SQLException {
        Connection connection = server.connect();
        connection.setAutoCommit(false);
        try (var lock = connection.createStatement()) {
            lock.executeQuery("SELECT fence FROM quarkus_lock WHERE id = '" + locks.id(name) + "' FOR UPDATE");
        }
        return connection;
    }

    private long waitingAtTheServer() throws SQLException {
        return locks.number(OURS);
    }

    @Test
    @Fault(114)
    void fault114_statementsDoNotOutwaitTheirClient() throws Exception {
        LockManager jvm = locks.jvm(database(Duration.ofSeconds(1)));
        LockHandle held = jvm.lock("stuck").acquire();
        LockManager other = locks.jvm(database(Duration.ofSeconds(1)));
        LockOptions once = LockOptions.DEFAULTS.withWaitFor(Duration.ZERO);
        try (Connection vanished = lockedRow("stuck")) {
            List<CompletableFuture<?>> calls = List.of(
                    held.extendAsync(Duration.ofSeconds(60)).subscribeAsCompletionStage(),
                    other.lock("stuck", once).acquireAsync().subscribeAsCompletionStage(),
                    other.lock("stuck", once.withMode(LockMode.SHARED)).acquireAsync().subscribeAsCompletionStage(),
                    other.forceReleaseAsync("stuck").subscribeAsCompletionStage());
            Await.until("all wait for the row", SOON, () -> waitingAtTheServer() > 0);
            Await.until("all have given up", SOON, () -> calls.stream().allMatch(CompletableFuture::isDone));
            locks.close();
            Await.until("nothing of them waits", SOON, () -> waitingAtTheServer() == 0);
            vanished.rollback();
        }
    }

    /** On MariaDB and on MySQL; never run against a real MySQL server. */
    @Test
    @Fault(114)
    void fault114_statementTimeoutIsClassifiedAsCollision() {
        assertThat(SqlFailure.of(new SQLException("max_statement_time exceeded", "70100", 1969)))
                .isEqualTo(SqlFailure.COLLISION);
        assertThat(SqlFailure.of(new SQLException("maximum statement execution time exceeded", "HY000", 3024)))
                .isEqualTo(SqlFailure.COLLISION);
    }

    @Test
    @Fault(114)
    void fault114_statementDelayedPastItsGuardDoesNothing() throws Exception {
        LockDatabase database = database(Duration.ofSeconds(30));
        locks.jvm(database).lock("late").acquire().close();
        String id = locks.id("late");
        CompletableFuture<FencedAt> granted;
        try (AgroalDataSource pool = Databases.pool(server, server.url(), 1); Connection before = lockedRow("late")) {
            long guard = locks.number("SELECT " + database.dialect().now()) + TimeUnit.MILLISECONDS.toMicros(500);
            granted = CompletableFuture.supplyAsync(() -> {
                try (Connection connection = pool.getConnection()) {
                    return database.dialect().grant(new LockConnection(connection), database.statements().ofGrants, id, "token",
                            database.statements().grantParameters(id, "token", "test", 60_000_000, guard));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Await.until("it waits for the row", SOON, () -> waitingAtTheServer() == 1);
            Await.until("its time is over", SOON, () -> locks.number("SELECT " + database.dialect().now()) > guard);
            before.rollback();
            assertThat(granted.get(SOON.toSeconds(), TimeUnit.SECONDS)).isNull();
        }
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE id = '" + id + "' AND token IS NOT NULL")).isZero();
    }
}
