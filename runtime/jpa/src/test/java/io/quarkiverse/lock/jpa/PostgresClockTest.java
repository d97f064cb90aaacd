package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** The database's clock decides when a lease ends: it jumps, and it is read at the right moment. */
class PostgresClockTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long HOUR = TimeUnit.HOURS.toMicros(1);

    private static PostgresServer server;

    private Locks locks;

    /** A dialect with a clock that the test can set. */
    private static final class SetClock extends PostgresLockDialect {

        @Override
        public String now() {
            return "set_clock()";
        }
    }

    @BeforeAll
    static void start() throws SQLException {
        server = Databases.prepared(PostgresServer.start(Map.of()));
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE clock (ahead BIGINT); INSERT INTO clock VALUES (0); "
                    + "CREATE FUNCTION set_clock() RETURNS BIGINT LANGUAGE sql VOLATILE AS 'SELECT " + server.nowMicros()
                    + " + (SELECT ahead FROM clock)'");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void begin() throws SQLException {
        locks = new Locks(server);
        ahead(0);
    }

    @AfterEach
    void end() throws Exception {
        locks.close();
    }

    private void ahead(long micros) throws SQLException {
        locks.execute("UPDATE clock SET ahead = " + micros);
    }

    @Test
    @Fault(19)
    void fault19_forwardClockJumpEndsLeaseAndHolderNotices() throws Exception {
        LockHandle first = locks.jvm(new SetClock()).lock("forward", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(6)))
                .acquire();
        ahead(HOUR);
        LockManager b = locks.jvm(new SetClock());
        try (LockHandle second = b.lock("forward").acquire()) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            Await.until("the first is told that it was lost", SOON, () -> !first.isValid());
            assertThat(second.isValid()).isTrue();
        }
    }

    @Test
    @Fault(20)
    void fault20_backwardClockJumpProlongsLeaseAndFencesRise() throws Exception {
        LockManager a = locks.jvm(new SetClock());
        LockManager b = locks.jvm(new SetClock());
        ahead(HOUR);
        LockHandle first = a.lock("back").acquire();
        ahead(0);
        assertThat(b.lock("back").tryAcquire(Duration.ZERO)).isEmpty();
        long fence = first.fencingToken();
        first.close();
        try (LockHandle second = b.lock("back").acquire()) {
            assertThat(second.fencingToken()).isGreaterThan(fence);
        }
    }

    /**
     * Not from when the statement began to wait for its row. If the row is unchanged, even that would do no harm, because the
     * holder counts from when it asked.
     */
    @Test
    @Fault(56)
    void fault56_leaseCountsFromWhenRowIsAvailable() throws Exception {
        LockManager a = locks.jvm();
        a.lock("blocked").acquire().close();
        Duration lease = Duration.ofSeconds(20);
        CompletableFuture<LockHandle> acquiring;
        long freedAt;
        try (Connection blocking = server.connect(); Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("UPDATE quarkus_lock SET name = name WHERE id = '" + locks.id("blocked") + "'");
            acquiring = CompletableFuture.supplyAsync(
                    () -> a.lock("blocked", LockOptions.DEFAULTS.withLease(lease)).acquire());
            Await.until("it waits for the row", SOON,
                    () -> locks.number("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") > 0);
            freedAt = locks.number("SELECT " + server.nowMicros());
            blocking.commit();
        }
        try (LockHandle hold = acquiring.get(SOON.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(locks.number("SELECT expires FROM quarkus_lock WHERE id = '" + locks.id("blocked") + "'"))
                    .isGreaterThanOrEqualTo(freedAt + TimeUnit.NANOSECONDS.toMicros(lease.toNanos()));
            assertThat(hold.fencingToken() / 1024).isGreaterThanOrEqualTo(freedAt);
        }
    }
}
