package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A database that is set to confirm a commit before its log is written. */
class PostgresCrashTest {

    private static final LockOptions LEASE = LockOptions.DEFAULTS.withLease(Duration.ofMinutes(3));

    @Test
    @Fault(57)
    void fault57_grantSurvivesCrashDespiteAsynchronousCommit() throws Exception {
        try (PostgresServer server = Databases.prepared(PostgresServer.start(
                Map.of("synchronous_commit", "off", "wal_writer_delay", "10s"))); var locks = new Locks(server)) {
            LockManager a = locks.jvm();
            locks.execute("CREATE TABLE late (n INTEGER)");
            a.lock("again", LEASE).acquire().close();
            locks.execute("CHECKPOINT");
            LockHandle first = a.lock("first", LEASE).acquire(); // by an INSERT
            server.restart();
            assertThat(locks.jvm().lock("first").tryAcquire(Duration.ZERO)).isEmpty();
            LockHandle again = a.lock("again", LEASE).acquire(); // by an UPDATE
            server.restart();
            LockManager b = locks.jvm();
            assertThat(b.lock("again").tryAcquire(Duration.ZERO)).isEmpty();
            again.extend(Duration.ofMinutes(10));
            server.restart();
            assertThat(locks.number("SELECT expires - " + server.nowMicros() + " FROM quarkus_lock WHERE id = '"
                    + locks.id("again") + "'")).isGreaterThan(Duration.ofMinutes(5).toNanos() / 1000);
            assertThat(first.isValid()).isTrue();
            assertThat(again.isValid()).isTrue();
        }
    }

    /** Otherwise the test above shows nothing. */
    @Test
    void plainAsynchronousCommitIsLostInCrash() throws Exception {
        try (PostgresServer server = Databases.prepared(PostgresServer.start(
                Map.of("synchronous_commit", "off", "wal_writer_delay", "10s"))); var locks = new Locks(server)) {
            locks.execute("CREATE TABLE late (n INTEGER)");
            locks.execute("CHECKPOINT");
            locks.execute("INSERT INTO late VALUES (1)");
            server.restart();
            assertThat(locks.number("SELECT COUNT(*) FROM late")).isZero();
        }
    }
}
