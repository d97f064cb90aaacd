package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.dialect.H2LockDialect;
import io.quarkiverse.lock.jpa.notify.PromptSockets;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A database that loses its data, with {@code quarkus.lock.jpa.after-failover=grace}: faults 266 to 269, 342 and 446. */
@DisplayNameGeneration(FaultDisplayNames.class)
class PostgresGraceTest {

    /** The common pool of the newest JDK has one thread on two processors. */
    private static final Executor OWN_THREAD = task -> new Thread(task).start();
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LONGEST = Duration.ofSeconds(4);
    /** Time to restore a server on a busy machine, so that the holder can report its hold. */
    private static final Duration RESTORED = Duration.ofSeconds(20);
    private static final LockOptions WAITS = LockOptions.DEFAULTS.withWaitFor(SOON).withLease(LONGEST);
    private static final LockOptions TRIES = LockOptions.DEFAULTS.withWaitFor(Duration.ZERO).withLease(LONGEST);
    private static final LockOptions SHARED = WAITS.withMode(LockMode.SHARED);
    private static final JpaLockOptions AT_ONCE = Databases.OPTIONS;
    private static final JpaLockOptions GRACE = AT_ONCE.withGrace(LONGEST);
    private static final JpaLockOptions LONG_GRACE = AT_ONCE.withGrace(RESTORED);

    private static PostgresServer server;

    private final List<AutoCloseable> pools = new ArrayList<>();
    private Locks locks;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        locks = new Locks(server);
        locks.execute("TRUNCATE quarkus_lock, quarkus_lock_claim");
    }

    @AfterEach
    void closeAll() throws Exception {
        locks.close();
        for (AutoCloseable pool : pools) {
            pool.close();
        }
    }

    private LockDatabase database(JpaLockOptions options) {
        AgroalDataSource pool = Databases.pool(server, server.url(), 8);
        pools.add(pool);
        return LockDatabase.of(pool, Databases.sessions("postgresql"),
                () -> DriverManager.getConnection(PromptSockets.in(server.url()), server.user(), server.password()), options);
    }

    /** As at the start of an application. */
    private LockManager jvm(JpaLockOptions options) {
        LockDatabase database = database(options);
        new Schema(database).checkForLeases();
        return locks.jvm(database);
    }

    /** So that a test need not wait for the first grace to end. */
    private void endGrace() throws SQLException {
        locks.execute("UPDATE quarkus_lock SET expires = 1, asked = txid_current() & 4294967295 WHERE id = 'marker'");
    }

    private long graceLeft() throws SQLException {
        return locks.number("SELECT MAX(expires) - " + server.nowMicros() + " FROM quarkus_lock WHERE id = 'marker'");
    }

    private void awaitGrace() {
        Await.until("a grace has begun", SOON, () -> graceLeft() > 0);
    }

    /** For longer than a lease and the grace, the holder keeps it and nobody else gets it. */
    private void keepsItAlone(LockHandle held, LockManager other) {
        assertThat(other.lock("name", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
        awaitGrace();
        Await.until("the grace is long over", SOON, () -> {
            assertThat(other.lock("name", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(held.isValid()).isTrue();
            return graceLeft() < -TimeUnit.SECONDS.toMicros(2);
        });
        held.close();
        try (LockHandle next = other.lock("name", WAITS).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    /** It contains a holder that has gone, and a marker whose grace is over. */
    private Path snapshot(LockManager former) {
        try (LockHandle gone = former.lock("name", WAITS).acquire()) {
            return server.snapshot();
        }
    }

    @Test
    @Fault(266)
    void fault266_holderKeepsLockAfterSnapshotRestore() throws Exception {
        LockManager holder = jvm(LONG_GRACE);
        LockManager other = jvm(LONG_GRACE);
        endGrace();
        Path snapshot = snapshot(holder);
        LockHandle held = holder.lock("name", WAITS.withLease(RESTORED)).acquire();
        server.restore(snapshot, false);
        keepsItAlone(held, other);
    }

    @Test
    @Fault(266)
    void fault266_withoutGraceSecondHolderIsGranted() throws Exception {
        LockManager holder = jvm(AT_ONCE);
        LockManager other = jvm(AT_ONCE);
        Path snapshot = server.snapshot();
        LockHandle held = holder.lock("name", WAITS.withLease(Duration.ofMinutes(5)).withRenew(false)).acquire();
        server.restore(snapshot, false);
        LockHandle second = other.lock("name", WAITS).acquire();
        assertThat(held.isValid()).isTrue();
        assertThat(second.isValid()).isTrue();
        second.close();
    }

    /** A hold that is not renewed is not restored, yet nobody is granted the lock before its lease ends. */
    @FullBuild
    @Test
    @Fault(266)
    void fault266_unrenewedLeaseIsFreeAfterGrace() throws Exception {
        LockManager holder = jvm(LONG_GRACE);
        LockManager other = jvm(LONG_GRACE);
        endGrace();
        Path snapshot = server.snapshot();
        LockHandle held = holder.lock("name", WAITS.withLease(RESTORED).withRenew(false)).acquire();
        server.restore(snapshot, false);
        LockHandle second = other.lock("name", WAITS).acquire();
        assertThat(held.isValid()).isFalse();
        assertThat(second.fencingToken()).isGreaterThan(held.fencingToken());
        second.close();
    }

    @Test
    @Fault(267)
    void fault267_holderKeepsLockAfterLaggingReplicaPromotion() throws Exception {
        LockManager holder = jvm(LONG_GRACE);
        LockManager other = jvm(LONG_GRACE);
        endGrace();
        Path snapshot = snapshot(holder);
        LockHandle held = holder.lock("name", WAITS.withLease(RESTORED)).acquire();
        LockHandle reader = holder.lock("read", SHARED.withLease(RESTORED)).acquire();
        LockHandle otherReader = other.lock("read", SHARED.withLease(RESTORED)).acquire();
        LockHandle limited = holder.lock("limited", WAITS.withLease(RESTORED).withLimit(2)).acquire();
        server.restore(snapshot, true);
        assertThat(locks.number("SELECT timeline_id FROM pg_control_checkpoint()")).isGreaterThan(1);
        keepsItAlone(held, other);
        for (LockHandle each : List.of(reader, otherReader, limited)) {
            assertThat(each.isValid()).isTrue();
        }
        assertThat(other.lock("read", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock_claim WHERE kind = 'H'")).isEqualTo(3);
        reader.close();
        assertThat(other.lock("read", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
        otherReader.close();
        limited.close();
        try (LockHandle writer = other.lock("read", WAITS).acquire()) {
            assertThat(writer.fencingToken()).isGreaterThan(otherReader.fencingToken());
        }
    }

    private void saveRows() throws SQLException {
        for (String table : List.of("quarkus_lock", "quarkus_lock_claim")) {
            locks.execute("DROP TABLE IF EXISTS saved_" + table);
            locks.execute("CREATE TABLE saved_" + table + " AS SELECT * FROM " + table);
        }
    }

    private void putBackRows(String table) throws SQLException {
        locks.execute("BEGIN; DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM saved_" + table + "; COMMIT");
    }

    /** The server keeps running: only the rows reveal the loss. */
    @Test
    @Fault(268)
    void fault268_holderKeepsLockWhenOlderRowsArePutBack() throws Exception {
        LockManager holder = jvm(GRACE);
        LockManager other = jvm(GRACE);
        endGrace();
        LockHandle gone = holder.lock("name", WAITS).acquire();
        saveRows();
        gone.close();
        LockHandle held = holder.lock("name", WAITS).acquire();
        putBackRows("quarkus_lock");
        putBackRows("quarkus_lock_claim");
        keepsItAlone(held, other);
    }

    /** The server copies the files, and with them the writer of each row. */
    @Test
    @Fault(268)
    void fault268_copiedDatabaseStartsWithGrace() throws Exception {
        try (AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
            new Schema(LockDatabase.of(pool, Databases.sessions("postgresql"), null, GRACE)).checkForLeases();
        }
        endGrace();
        try (var connection = DriverManager.getConnection(server.url().replaceAll("/postgres$", "/template1"), server.user(),
                server.password()); var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE copied TEMPLATE postgres");
        }
        AgroalDataSource pool = Databases.pool(server, server.url().replaceAll("/postgres$", "/copied"), 2);
        pools.add(pool);
        LockManager copied = locks.jvm(LockDatabase.of(pool, Databases.sessions("postgresql"), null, GRACE));
        assertThat(catchThrowable(() -> copied.lock("name", TRIES).acquire()))
                .hasMessageContaining("nobody, but no lock is granted for another ");
    }

    /** An INSERT has looked for the marker before it waits for a row that is being deleted. */
    @Test
    @Fault(268)
    void fault268_holderKeepsLockWhileItsRowIsBeingDeleted() throws Exception {
        LockManager holder = jvm(GRACE);
        LockManager other = jvm(GRACE);
        endGrace();
        LockHandle held = holder.lock("name", WAITS).acquire();
        CompletableFuture<Boolean> granted;
        try (var connection = server.connect(); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("DELETE FROM quarkus_lock");
            granted = CompletableFuture
                    .supplyAsync(() -> other.lock("name", TRIES).tryAcquire(Duration.ZERO).isPresent());
            Await.until("it waits for the row", SOON, () -> locks.number("SELECT COUNT(*) FROM pg_stat_activity "
                    + "WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT%'") == 1);
            connection.commit();
        }
        assertThat(granted.get(SOON.toSeconds(), TimeUnit.SECONDS)).isFalse();
        keepsItAlone(held, other);
    }

    @Test
    @Fault(268)
    void fault268_holderKeepsLockWhenAllRowsAreDeleted() throws Exception {
        LockManager holder = jvm(GRACE);
        LockManager other = jvm(GRACE);
        endGrace();
        LockHandle held = holder.lock("name", WAITS).acquire();
        locks.execute("TRUNCATE quarkus_lock, quarkus_lock_claim");
        keepsItAlone(held, other);
    }

    @Test
    @Fault(268)
    void fault268_waitersAreGrantedInQueueOrderAfterGrace() throws Exception {
        LockManager holder = jvm(GRACE);
        LockManager other = jvm(GRACE);
        endGrace();
        LockHandle held = holder.lock("name", WAITS).acquire();
        var first = CompletableFuture.supplyAsync(() -> other.lock("name", WAITS).acquire(), OWN_THREAD);
        Await.until("it waits", SOON, () -> locks.number("SELECT COUNT(*) FROM quarkus_lock_claim") == 1);
        locks.execute("UPDATE quarkus_lock SET asked = 0 WHERE id = 'marker'"); // as if from another server
        held.close();
        awaitGrace();
        var second = CompletableFuture.supplyAsync(() -> holder.lock("name", WAITS).acquire(), OWN_THREAD);
        Await.until("both wait", SOON, () -> locks.number("SELECT COUNT(*) FROM quarkus_lock_claim") == 2);
        assertThat(first).isNotDone();
        LockHandle next = first.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(graceLeft()).isNegative();
        assertThat(second).isNotDone();
        next.close();
        second.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
    }

    /** The fence of a hold that was never in these rows still counts. */
    @Test
    @Fault(268)
    void fault268_holdEndingInGraceIsNoLossAndKeepsFence() throws Exception {
        LockManager holder = jvm(GRACE);
        endGrace();
        LockHandle held = holder.lock("name", WAITS).acquire();
        LockHandle reader = holder.lock("read", SHARED).acquire();
        LockHandle writer = holder.lock("down", WAITS).acquire();
        locks.execute("TRUNCATE quarkus_lock, quarkus_lock_claim");
        writer.downgrade();
        held.close();
        reader.close();
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE id IN ('" + locks.id("name") + "', '"
                + locks.id("read") + "') AND fence > 0 AND expires = 0 AND shared_until = 0")).isEqualTo(2);
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock_claim WHERE kind = 'H'")).isEqualTo(1);
        assertThat(writer.isValid()).isTrue();
        writer.close();
    }

    @Test
    @Fault(268)
    void fault268_forcedReleaseInGraceIsFinal() throws Exception {
        LockManager holder = jvm(GRACE);
        LockManager other = jvm(GRACE);
        endGrace();
        LockHandle held = holder.lock("name", WAITS).acquire();
        LockHandle reader = holder.lock("read", SHARED).acquire();
        locks.execute("TRUNCATE quarkus_lock, quarkus_lock_claim");
        other.forceRelease("name");
        other.forceRelease("read");
        Await.until("both learn of it", SOON, () -> !held.isValid() && !reader.isValid());
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE id <> 'marker' AND expires + shared_until > 0"))
                .isZero();
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock_claim")).isZero();
    }

    /** The holder is not notified, and finds out in a grace. */
    @Test
    @Fault(268)
    void fault268_forcedReleaseBeforeGraceIsFinal() throws Exception {
        LockManager holder = jvm(GRACE.withListen(false));
        LockManager other = jvm(GRACE);
        endGrace();
        LockHandle reader = holder.lock("read", SHARED).acquire();
        other.forceRelease("read");
        locks.execute("UPDATE quarkus_lock SET asked = 0 WHERE id = 'marker'"); // as by a restart
        awaitGrace();
        Await.until("it learns of it", SOON, () -> !reader.isValid());
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock_claim")).isZero();
    }

    /** Its row no longer looks as the forced release left it. */
    @Test
    @Fault(469)
    void fault469_forcedReleaseBeforeGraceIsFinalDespiteLaterHolders() throws Exception {
        LockOptions slow = SHARED.withLease(RESTORED);
        LockManager holder = jvm(LONG_GRACE.withListen(false));
        LockManager other = jvm(LONG_GRACE);
        endGrace();
        LockHandle reader = holder.lock("read", slow).acquire();
        LockHandle limited = holder.lock("limited", WAITS.withLease(RESTORED).withLimit(2)).acquire();
        for (String name : List.of("read", "limited")) {
            other.forceRelease(name);
            other.lock(name, WAITS).acquire().close(); // a writer
        }
        locks.execute("UPDATE quarkus_lock SET asked = 0 WHERE id = 'marker'"); // as by a restart
        awaitGrace();
        Await.until("it learns of it", SOON, () -> {
            assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock_claim")).isZero();
            return !reader.isValid() && !limited.isValid();
        });
    }

    @Test
    @Fault(342)
    void fault342_forcedReleaseInGraceIsFinalDespiteGreaterFormerTokens() throws Exception {
        staysEnded(false);
    }

    @Test
    @Fault(342)
    void fault342_forcedReleaseInGraceIsFinalAfterSecondFailover() throws Exception {
        staysEnded(true);
    }

    private void staysEnded(boolean failsOverAgain) throws Exception {
        LockManager holder = jvm(GRACE);
        LockManager other = jvm(GRACE);
        endGrace();
        holder.lock("name", WAITS).acquire().close();
        holder.lock("read", WAITS).acquire().close();
        // As if the clock of the granting server were ahead of the next server's
        locks.execute("UPDATE quarkus_lock SET fence = fence + 10000000 WHERE id <> 'marker'");
        LockHandle held = holder.lock("name", WAITS).acquire();
        LockHandle reader = holder.lock("read", SHARED).acquire();
        locks.execute("TRUNCATE quarkus_lock, quarkus_lock_claim");
        other.forceRelease("name");
        other.forceRelease("read");
        if (failsOverAgain) {
            locks.execute("UPDATE quarkus_lock SET asked = 0 WHERE id = 'marker'");
        }
        Await.until("both learn of it", SOON, () -> {
            assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE id <> 'marker' AND expires + shared_until > 0"))
                    .isZero();
            return !held.isValid() && !reader.isValid();
        });
    }

    /** A hold that was ended by force must not be restored, but only until another may have been granted the lock. */
    @Test
    @Fault(342)
    void fault342_laterHolderKeepsLockWhenForcedReleaseRowsReturn() throws Exception {
        LockManager holder = jvm(GRACE);
        LockManager other = jvm(GRACE);
        other.forceRelease("name");
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE expires < 0")).isEqualTo(1);
        saveRows();
        LockHandle held = holder.lock("name", WAITS).acquire();
        putBackRows("quarkus_lock");
        putBackRows("quarkus_lock_claim");
        keepsItAlone(held, other);
    }

    @Test
    @Fault(269)
    void fault269_conflictingGraceSettingsAreRejected() throws Exception {
        LockManager first = jvm(GRACE);
        endGrace();
        first.lock("name", WAITS).acquire().close();
        assertThat(catchThrowable(() -> jvm(AT_ONCE.withGrace(LONGEST.plusSeconds(1)))))
                .hasMessageContaining("quarkus.lock.jpa.longest-lease").hasMessageContaining("'marker'");
        assertThat(catchThrowable(() -> jvm(AT_ONCE))).hasMessageContaining("quarkus.lock.jpa.after-failover")
                .hasMessageContaining("'marker'");
        // One that could not query the database when it started
        LockManager late = locks.jvm(database(AT_ONCE.withGrace(LONGEST.plusSeconds(1))));
        assertThat(catchThrowable(() -> late.lock("name", TRIES).tryAcquire(Duration.ZERO)))
                .hasMessageContaining("quarkus.lock.jpa.longest-lease");
        assertThat(catchThrowable(() -> late.lock("other", WAITS).acquire()))
                .hasMessageContaining("quarkus.lock.jpa.longest-lease");
        first.lock("name", WAITS).acquire().close();
    }

    @Test
    @Fault(446)
    void fault446_conflictingGraceSettingsAreRejectedByDeferredCheck() throws Exception {
        jvm(GRACE);
        endGrace();
        AgroalDataSource pool = Databases.pool(server, server.url(), 2);
        pools.add(pool);
        LockDatabase database = LockDatabase.of(UnreachableTablesTest.downAtFirst(pool), Databases.sessions("postgresql"), null,
                AT_ONCE);
        assertThat(new Schema(database).checkForLeases()).isFalse();
        assertThat(catchThrowable(() -> locks.jvm(database).lock("name", WAITS).acquire()))
                .hasMessageContaining("quarkus.lock.jpa.after-failover").hasMessageContaining("'marker'");
    }

    @Test
    @Fault(269)
    void fault269_leaseAboveLongestIsRejected() throws Exception {
        LockManager manager = jvm(GRACE);
        endGrace();
        assertThat(catchThrowable(() -> manager.lock("name", WAITS.withLease(LONGEST.plusMillis(1))).acquire()))
                .hasMessageContaining("quarkus.lock.jpa.longest-lease=4s");
        try (LockHandle held = manager.lock("name", WAITS).acquire()) {
            assertThat(catchThrowable(() -> held.extend(LONGEST.plusSeconds(1))))
                    .hasMessageContaining("quarkus.lock.jpa.longest-lease=4s");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    @Fault(269)
    void fault269_graceIsRejectedOnUnsupportedDatabase() {
        assertThat(catchThrowable(() -> LockDatabase.of(Databases.pool(server, server.url(), 1),
                Databases.sessions("postgresql"), new H2LockDialect(), null, GRACE)))
                .hasMessageContaining("quarkus.lock.jpa.after-failover=at-once");
    }

    @Test
    @Fault(269)
    void fault269_busyMessageTellsRemainingGrace() throws Exception {
        LockManager manager = jvm(GRACE);
        assertThat(graceLeft()).isPositive();
        assertThat(catchThrowable(() -> manager.lock("name", TRIES).acquire()))
                .hasMessageContaining("nobody, but no lock is granted for another ");
        assertThat(catchThrowable(() -> manager.lock("name", TRIES.withMode(LockMode.SHARED)).acquire()))
                .hasMessageContaining("nobody, but no lock is granted for another ");
        manager.lock("name", WAITS).acquire().close();
    }
}
