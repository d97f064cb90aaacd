package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.dialect.NotifySql;
import io.quarkiverse.lock.jpa.notify.PromptSockets;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** {@link LeaseContract} on this database. */
class PostgresLeaseTest extends LeaseContract {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    DatabaseServer server() {
        return server;
    }

    @Test
    void listeningHolderIsAskedToReleaseAtOnce() throws Exception {
        JpaLockBackend backend = backend(8);
        LockManager holder = locks(backend);
        LockManager other = jvm();
        try (LockHandle busy = other.lock("busy").acquire()) {
            assertThat(holder.lock("busy").tryAcquire(Duration.ofSeconds(1))).isEmpty();
            assertThat(busy.isReleaseRequested()).isFalse();
        }
        Await.until("messages arrive", SOON, () -> Databases.notified(backend.database()));
        LockOptions notRenewed = LockOptions.DEFAULTS.withLease(Duration.ofHours(1)).withRenew(false);
        LockHandle hold = holder.lock("asked", notRenewed).acquire();
        assertThat(other.requestRelease("asked")).isTrue();
        assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(hold.isValid()).isTrue();
        hold.close();
        LockHandle reader = holder.lock("asked", notRenewed.withMode(LockMode.SHARED)).acquire();
        assertThat(other.requestRelease("asked")).isTrue();
        assertThat(reader.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
        reader.close();
        assertThat(other.requestRelease("asked")).isFalse();
    }

    /** As behind PgBouncer, which forwards the messages that are sent. */
    @Test
    @Fault(521)
    void fault521_listenerHearsRequestAndForceFromNonListener() throws Exception {
        JpaLockBackend backend = backend(8);
        LockManager holder = locks(backend);
        LockManager deaf = locks(backend(8, JpaLockOptions.STANDARD.withListen(false)));
        LockOptions notRenewed = LockOptions.DEFAULTS.withLease(Duration.ofHours(1)).withRenew(false);
        LockOptions reads = notRenewed.withMode(LockMode.SHARED);
        try (LockHandle listens = holder.lock("read", reads).acquire()) {
            Await.until("messages arrive", SOON, () -> Databases.notified(backend.database()));
            assertThat(listens.isReleaseRequested()).isFalse();
        }
        for (LockOptions each : List.of(notRenewed, reads)) {
            LockHandle hold = holder.lock("asked", each).acquire();
            assertThat(deaf.requestRelease("asked")).isTrue();
            assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
            assertThat(hold.isValid()).isTrue();
            assertThat(deaf.forceRelease("asked")).isTrue();
            Await.until("the holder is told", SOON, () -> !hold.isValid());
        }
    }

    @Test
    @Fault(521)
    void fault521_listenerHearsWaiterAndReleaseFromNonListener() throws Exception {
        LockManager other = jvm();
        LockManager deaf = locks(backend(8, JpaLockOptions.STANDARD.withListen(false)));
        try (Connection listening = server().connect(); Statement statement = listening.createStatement()) {
            statement.execute("LISTEN " + NotifySql.CHANNEL);
            for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
                String name = "told-" + mode;
                LockHandle hold = other.lock(name, LockOptions.DEFAULTS.withMode(mode)).acquire();
                var first = deaf.lock(name).acquireAsync().subscribeAsCompletionStage();
                awaitMessage(listening, NotifySql.WAITED + " " + id(name));
                hold.close();
                LockHandle next = first.get(SOON.toSeconds(), TimeUnit.SECONDS);
                for (int left = 10; !wakes(next, other, deaf, name, listening); left--) {
                    assertThat(left).as("releases without a message to the waiter").isPositive();
                    next = deaf.lock(name).acquire();
                }
            }
        }
    }

    /** False if the waiter has polled between the release and the message: then it no longer waits. */
    private boolean wakes(LockHandle held, LockManager other, LockManager deaf, String name, Connection listening)
            throws Exception {
        var waiter = other.lock(name).acquireAsync().subscribeAsCompletionStage();
        Await.until("it is in line", SOON, () -> deaf.inspect(name).orElseThrow().waiters() > 0);
        String waiting = text("SELECT token FROM quarkus_lock_claim WHERE kind = 'W' AND id = '" + id(name) + "'");
        held.close();
        waiter.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
        return messages(listening).stream().anyMatch(each -> each.startsWith(NotifySql.TURN + " " + id(name) + " " + waiting));
    }

    private static void awaitMessage(Connection listening, String beginning) throws Exception {
        var heard = new ArrayList<String>();
        Await.until(beginning, SOON, () -> {
            heard.addAll(messages(listening));
            return heard.stream().anyMatch(each -> each.startsWith(beginning));
        });
    }

    private static List<String> messages(Connection listening) throws SQLException {
        return Stream.of(listening.unwrap(PGConnection.class).getNotifications(1_000)).map(PGNotification::getParameter)
                .toList();
    }

    /** The extra connection outside the pool is only for waiters and readers. */
    @Test
    void uncontendedLimitOpensNoConnection() throws Exception {
        var opened = new AtomicInteger();
        var pool = Databases.pool(server(), server().url(), 8);
        var database = LockDatabase.of(pool, Databases.sessions(server().kind()), () -> {
            opened.incrementAndGet();
            return DriverManager.getConnection(server().url(), server().user(), server().password());
        }, JpaLockOptions.STANDARD);
        LockManager locks = locks(new JpaLockBackend(database, namespace, "limited"));
        locks.lock("roomy", LockOptions.DEFAULTS.withLimit(2)).acquire().close();
        Await.during("it listens to nobody", Duration.ofSeconds(1), () -> opened.get() == 0);
        LockHandle first = locks.lock("full", LockOptions.DEFAULTS.withLimit(1)).acquire();
        LockManager other = locks(new JpaLockBackend(database, namespace, "waiting"));
        assertThat(other.lock("full", LockOptions.DEFAULTS.withLimit(1)).tryAcquire(Duration.ofSeconds(1))).isEmpty();
        Await.until("who waits listens", SOON, () -> opened.get() > 0);
        first.close();
        close();
        pool.close();
    }

    @Test
    @Fault(196)
    void fault196_hundredIdleListenersCostFewStatements() throws Exception {
        LockHandle held = jvm().lock("still").acquire();
        var counted = new CountedStatements();
        var pool = Databases.pool(server(), server().url(), 8);
        var listening = LockDatabase.of(counted.of(pool), Databases.sessions(server().kind()),
                () -> DriverManager.getConnection(PromptSockets.in(server().url()), server().user(), server().password()),
                JpaLockOptions.STANDARD);
        assertThat(perSecond(listening, counted, 110)).as("with one connection per listener")
                .isLessThanOrEqualTo(110);
        assertThat(Databases.notified(listening)).isTrue();
        held.close();
        close();
        pool.close();
    }

    @Test
    @Fault(217)
    void fault217_listenerForHundredNamesPollsOncePerSecond() throws Exception {
        var counted = new CountedStatements();
        var pool = Databases.pool(server(), server().url(), 8);
        var listening = LockDatabase.of(counted.of(pool), Databases.sessions(server().kind()),
                () -> DriverManager.getConnection(PromptSockets.in(server().url()), server().user(), server().password()),
                JpaLockOptions.STANDARD);
        assertThat(perSecond(listening, counted, 100, 60)).isLessThanOrEqualTo(60);
        assertThat(Databases.notified(listening)).isTrue();
        close();
        pool.close();
    }

    /** Otherwise the name would be granted when nobody is left to release it. */
    @Test
    @Fault(3)
    @ResourceLock(TABLES)
    void fault03_stepInProgressIsRolledBackWhenItsJvmDies() throws Exception {
        LockHandle hold = jvm().lock("ending").acquire();
        JpaLockBackend backend = backend(8);
        LockEngine ending = LockEngine.builder(backend).start();
        ending.manager(ManagerDefaults.STANDARD).lock("ending").acquireAsync().subscribeAsCompletionStage();
        String id = id("ending");
        Await.until("it waits", SOON, () -> count("quarkus_lock_claim WHERE id = '" + id + "'") == 1);
        CompletableFuture<Void> closing;
        try (Connection blocking = server.connect(); Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("SELECT id FROM quarkus_lock WHERE id = '" + id + "' FOR UPDATE");
            Await.until("its step waits for the row", SOON,
                    () -> count("pg_stat_activity WHERE wait_event_type = 'Lock'") > 0);
            closing = CompletableFuture.runAsync(ending::close);
            Await.during("it is not closed yet", Duration.ofMillis(500), () -> !closing.isDone());
            blocking.rollback();
        }
        closing.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(count("quarkus_lock_claim WHERE id = '" + id + "'")).isZero();
        hold.close();
        jvm().lock("ending").tryAcquire(Duration.ZERO).orElseThrow().close();
    }
}
