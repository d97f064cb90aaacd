package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.agroal.api.transaction.TransactionIntegration;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.database.HangingOnce;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.Step;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.dialect.NotifySql;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** Connections end, hang and lie; no lock depends on one. */
class PostgresConnectionsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final List<String> CONFLICTS = List.of("40001", "08006");

    private static PostgresServer server;

    private Locks locks;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void begin() {
        locks = new Locks(server);
    }

    @AfterEach
    void end() throws Exception {
        locks.close();
    }

    @Test
    @Fault(7)
    void fault07_grantWithLostReplyIsFoundAgain() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            LockManager a = locks.jvm(server.url(proxy.host(), proxy.port()));
            a.lock("lost").acquire().close();
            proxy.dropReplyTo(locks.id("lost"));
            LockHandle hold = a.lock("lost").tryAcquire(Duration.ZERO).orElseThrow();
            assertThat(proxy.dropPending()).isFalse();
            assertThat(locks.number("SELECT fence FROM quarkus_lock WHERE id = '" + locks.id("lost") + "'"))
                    .isEqualTo(hold.fencingToken() / 1024);
            hold.close();
        }
    }

    /** The request is still in some buffer when its connection is given up; it carries its own deadline. */
    @Test
    @Fault(8)
    void fault08_requestAfterOperationTimeoutGrantsNothing() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            LockManager a = locks.jvm(server.url(proxy.host(), proxy.port()));
            a.lock("late").acquire().close();
            Duration delay = Databases.OPTIONS.operationTimeout().plusSeconds(2);
            proxy.delayRequests(delay);
            assertThatThrownBy(() -> a.lock("late").tryAcquire(Duration.ZERO)).isInstanceOf(LockBackendException.class);
            Await.during("nobody holds it", delay, () -> locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE "
                    + "token IS NOT NULL AND id = '" + locks.id("late") + "'") == 0);
        }
    }

    @Test
    @Fault(48)
    void fault48_holderAndWaiterSurviveKilledConnections() throws Exception {
        LockManager a = locks.jvm();
        LockManager b = locks.jvm();
        try (LockHandle hold = a.lock("killed", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(9))).acquire()) {
            var waiting = b.lock("killed").acquireAsync().subscribeAsCompletionStage();
            awaitWaiting("killed");
            for (int i = 0; i < 3; i++) {
                killAll();
                Await.during("it is valid", Duration.ofSeconds(2), hold::isValid);
            }
            assertThat(waiting).isNotDone();
            hold.close();
            waiting.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
        }
    }

    /** The pool notices a broken connection only after handing it out. */
    @Test
    @Fault(48)
    void fault48_nonWaitingCallFindsWorkingConnection() throws Exception {
        LockManager a = locks.jvm();
        holdMany(a);
        killAll();
        assertThat(a.lock("killed-before").tryAcquire(Duration.ZERO)).isPresent();
    }

    /** A claim retries by itself if it gets no reply; an inspection has only one step. */
    @Test
    @Fault(48)
    void fault48_inspectFindsWorkingConnection() throws Exception {
        LockManager a = locks.jvm();
        holdMany(a);
        killAll();
        assertThat(a.inspect("many-7")).isPresent();
    }

    /** Its caller sees no failure either: the next connection is used. */
    @Test
    @Fault(48)
    void fault48_releaseFindsWorkingConnection() throws Exception {
        LockManager a = locks.jvm();
        LockHandle hold = a.lock("to-release").acquire();
        holdMany(a);
        killAll();
        hold.close();
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE token IS NOT NULL AND id = '"
                + locks.id("to-release") + "'")).isZero();
    }

    /** On a worker as well as on the caller's thread, whether or not the pool gives up before the operation does. */
    @ParameterizedTest
    @ValueSource(longs = { 2, 30 })
    @Fault(50)
    void fault50_nonWaitingCallReturnsInTimeWithEmptyPool(long patience) throws Exception {
        try (var pool = Databases.pool(server.kind(), server.url(), server.user(), server.password(), 1,
                TransactionIntegration.none(), Duration.ofSeconds(patience))) {
            LockManager a = locks.jvm(LockDatabase.of(pool, Databases.sessions(server.kind()), null, Databases.OPTIONS));
            LockHandle hold = a.lock("held").acquire();
            try (Connection taken = pool.getConnection()) {
                assertThat(taken.isValid(1)).isTrue();
                assertSoon(() -> assertThatThrownBy(() -> a.lock("free").tryAcquire(Duration.ZERO))
                        .isInstanceOf(LockBackendException.class));
                assertSoon(hold::close); // and keeps trying
            }
            Await.until("it is given back", SOON, () -> a.inspect("held").isEmpty());
            assertThat(a.lock("free").tryAcquire(Duration.ZERO)).isPresent();
        }
    }

    private static void assertSoon(Runnable call) {
        long before = System.nanoTime();
        call.run();
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isLessThan(Databases.OPTIONS.operationTimeout().plusSeconds(10));
    }

    /** Uses more than a few connections. */
    private void holdMany(LockManager locks) throws Exception {
        List<CompletableFuture<LockHandle>> holds = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            holds.add(locks.lock("many-" + i).acquireAsync().subscribeAsCompletionStage());
        }
        for (CompletableFuture<LockHandle> each : holds) {
            each.get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(clients()).isGreaterThan(4);
    }

    private long clients() throws SQLException {
        return locks.number("SELECT COUNT(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                + "AND backend_type = 'client backend'");
    }

    private void killAll() throws SQLException {
        locks.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                + "AND backend_type = 'client backend'");
    }

    @Test
    @Fault(413)
    void fault413_listenerRetriesHangingServer() {
        var outside = new HangingOnce(server);
        LockDatabase database = LockDatabase.of(locks.pool(4), Databases.sessions(server.kind()), outside,
                Databases.OPTIONS.withOperationTimeout(Duration.ofSeconds(1)));
        locks.jvm(database);
        database.listener().start();
        Await.until("messages arrive", SOON, () -> Databases.notified(database));
        outside.awaitEndOfLate(SOON);
    }

    /** Its transaction has locked the row, and the server does not notice that the client is gone. */
    @Test
    @Fault(49)
    void fault49_clientVanishingMidStepBlocksNobody() throws Exception {
        LockHandle hold = locks.jvm().lock("vanished").acquire();
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            LockManager vanishing = locks.jvm(server.url(proxy.host(), proxy.port()));
            vanishing.lock("else").acquire().close();
            var waiting = vanishing.lock("vanished").acquireAsync().subscribeAsCompletionStage();
            awaitWaiting("vanished");
            try (Connection blocking = server.connect(); Statement statement = blocking.createStatement()) {
                blocking.setAutoCommit(false);
                statement.execute("SELECT id FROM quarkus_lock WHERE id = '" + locks.id("vanished") + "' FOR UPDATE");
                Await.until("its step waits for the row", SOON, () -> locks
                        .number("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") > 0);
                proxy.blackhole();
                blocking.rollback();
            }
            hold.close();
            // Once the place of the vanished client has expired
            locks.jvm().lock("vanished").tryAcquire(SOON).orElseThrow().close();
            waiting.cancel(true);
        }
    }

    /** Otherwise a hand-off would wait for the disk, or for a replica, twice: for the release and for the message. */
    @Test
    void messagesDoNotWaitForWriteAheadLog() throws Exception {
        LockHandle hold = locks.jvm().lock("told").acquire();
        var waiting = locks.jvm().lock("told").acquireAsync().subscribeAsCompletionStage();
        awaitWaiting("told");
        Statements statements = LockDatabase
                .of(locks.pool(1), Databases.sessions(server.kind()), null, Databases.OPTIONS).statements();
        Map<String, String> messages = Map.of(statements.wakeFirst, locks.id("told"), NotifySql.TELL, "T test");
        for (Map.Entry<String, String> each : messages.entrySet()) {
            try (Connection jdbc = server.connect()) {
                var connection = new LockConnection(jdbc);
                connection.execute("SET synchronous_commit = on");
                jdbc.setAutoCommit(false);
                connection.execute(each.getKey(), NotifySql.CHANNEL, each.getValue());
                String during = connection.first("SHOW synchronous_commit", row -> row.getString(1));
                jdbc.commit();
                assertThat(during).as(each.getKey()).isEqualTo("off");
                String after = connection.first("SHOW synchronous_commit", row -> row.getString(1));
                assertThat(after).isEqualTo("on");
            }
        }
        hold.close();
        waiting.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
    }

    /** The pool has only one connection, so it is exhausted unless the hanging one is replaced. */
    @Test
    void hangingStepClosesConnectionAndPoolReplacesIt() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port());
                var pool = Databases.pool(server, server.url(proxy.host(), proxy.port()), 1)) {
            LockDatabase database = LockDatabase.of(pool, Databases.sessions(server.kind()), null, Databases.OPTIONS);
            Step<Long> pid = step -> step.first("SELECT pg_backend_pid()", row -> row.getLong(1));
            long first = database.steps().call(database.steps().deadline(), pid);
            assertThat(database.steps().call(database.steps().deadline(), pid)).as("the same connection").isEqualTo(first);
            proxy.blackhole();
            long before = System.nanoTime();
            CompletableFuture<Long> hanging = CompletableFuture.supplyAsync(() -> {
                try {
                    return database.steps().call(before + TimeUnit.MILLISECONDS.toNanos(500), pid);
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            assertThatThrownBy(() -> hanging.get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(SQLException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofMillis(500), SOON);
            proxy.pass();
            assertThat(database.steps().call(System.nanoTime() + SOON.toNanos(), pid)).isNotEqualTo(first);
        }
    }

    /** A pooler in between may give each transaction another session, so a setting would be left behind in one. */
    @Test
    void collisionSetsNoIsolationIfDefaultIsReadCommitted() throws Exception {
        List<String> calls = new ArrayList<>();
        DataSource pool = proxy(DataSource.class, locks.pool(1), called -> {
        }, real -> recorded(real, calls));
        LockDatabase database = LockDatabase.of(pool, Databases.sessions(server.kind()), null, Databases.OPTIONS);
        var steps = new AtomicInteger();
        database.steps().<Boolean> call(database.steps().deadline(), connection -> {
            if (steps.incrementAndGet() == 1) {
                throw new SQLException("collided", "40001");
            }
            return true;
        });
        assertThat(steps).hasValue(2);
        assertThat(calls).contains("getTransactionIsolation").doesNotContain("setTransactionIsolation");
    }

    /** Records the calls, including those of the connection that it wraps. */
    private static Connection recorded(Object real, List<String> calls) {
        return proxy(Connection.class, real, calls::add,
                result -> result instanceof Connection wrapped ? recorded(wrapped, calls) : result);
    }

    private void awaitWaiting(String name) {
        awaitWaiting(name, 1);
    }

    private void awaitWaiting(String name, int count) {
        Await.until("they wait", SOON, () -> locks
                .number("SELECT COUNT(*) FROM quarkus_lock_claim WHERE id = '" + locks.id(name) + "'") >= count);
    }

    /** As with several primaries that agree only when a transaction commits. */
    @Test
    @Fault(58)
    void fault58_failedCommitGrantsNothing() throws Exception {
        for (String state : CONFLICTS) {
            commitsFail(state, new PostgresLockDialect() {
                @Override
                public boolean changesSeveralTablesAtOnce() {
                    return false;
                }
            });
        }
    }

    @Test
    @Fault(58)
    void fault58_statementWithFailedCommitGrantsNothing() throws Exception {
        for (String state : CONFLICTS) {
            commitsFail(state, new PostgresLockDialect());
        }
    }

    private void commitsFail(String state, LockDialect dialect) throws Exception {
        String name = "commit-" + state;
        DataSource pool = locks.pool(8);
        var failing = new AtomicInteger();
        DataSource unlucky = proxy(DataSource.class, pool, called -> {
        }, real -> proxy(Connection.class, real, called -> {
            if (called.equals("commit") && failing.getAndDecrement() > 0) {
                ((Connection) real).rollback();
                throw new SQLException("conflict at commit", state);
            }
        }, result -> result instanceof PreparedStatement step && step.toString().contains("WITH ")
                ? proxy(PreparedStatement.class, step, called -> {
                    if (called.equals("executeQuery") && failing.getAndDecrement() > 0) {
                        executeInVain((Connection) real, step);
                        throw new SQLException("conflict at the commit of a single statement", state);
                    }
                }, rows -> rows)
                : result));
        LockManager a = locks.jvm();
        LockManager b = locks.jvm(unlucky, dialect, Databases.OPTIONS);
        LockHandle hold = a.lock(name).acquire();
        failing.set(2);
        CompletableFuture<LockHandle> waiting = b.lock(name).acquireAsync().subscribeAsCompletionStage();
        Await.until("its place in the queue is there in the end", SOON, () -> failing.get() <= 0);
        awaitWaiting(name);
        failing.set(2);
        hold.close();
        LockHandle granted = waiting.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(failing.get()).as("commits failed").isLessThanOrEqualTo(0);
        assertThat(granted.fencingToken()).isGreaterThan(hold.fencingToken());
        assertThat(locks.number("SELECT fence FROM quarkus_lock WHERE id = '" + locks.id(name) + "'"))
                .isEqualTo(granted.fencingToken() / 1024);
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE token IS NOT NULL AND id = '"
                + locks.id(name) + "'")).isEqualTo(1);
        granted.close();
    }

    @FunctionalInterface
    private interface Before {

        void calling(String method) throws SQLException;
    }

    /** Release and wake-up are one round trip, with a transaction that only the database knows of. */
    @Test
    void halfFailedReleaseLeavesConnectionClean() throws Exception {
        LockManager a = locks.jvm(locks.pool(1), new PostgresLockDialect(), Databases.OPTIONS);
        LockHandle first = locks.jvm().lock("halfway").acquire();
        var second = a.lock("halfway").acquireAsync().subscribeAsCompletionStage();
        awaitWaiting("halfway", 1);
        var third = locks.jvm().lock("halfway").acquireAsync().subscribeAsCompletionStage();
        awaitWaiting("halfway", 2);
        third.thenAccept(LockHandle::close); // it fails if it polls while there is no table
        first.close();
        LockHandle hold = second.get(SOON.toSeconds(), TimeUnit.SECONDS);
        locks.execute("ALTER TABLE quarkus_lock RENAME TO elsewhere");
        try {
            hold.close();
        } finally {
            locks.execute("ALTER TABLE elsewhere RENAME TO quarkus_lock");
        }
        Await.until("no transaction is left behind", SOON,
                () -> locks.number("SELECT COUNT(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'") == 0);
        a.lock("halfway").tryAcquire(SOON).orElseThrow().close();
    }

    private static void executeInVain(Connection connection, PreparedStatement step) throws SQLException {
        connection.setAutoCommit(false);
        step.executeQuery().close();
        connection.rollback();
        connection.setAutoCommit(true);
    }

    private static <T> T proxy(Class<T> type, Object real, Before before, UnaryOperator<Object> after) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, arguments) -> {
            before.calling(method.getName());
            try {
                return after.apply(method.invoke(real, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
