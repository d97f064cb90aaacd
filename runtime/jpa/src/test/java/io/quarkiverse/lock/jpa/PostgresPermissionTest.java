package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A user with only the four rights on both tables can wait, be woken, inspect and force a release. */
@Timeout(120)
class PostgresPermissionTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(SOON);
    private static final String USER = "limited";

    private static PostgresServer server;

    @BeforeAll
    static void start() throws Exception {
        server = Databases.prepared(PostgresServer.start(Map.of()));
        try (var locks = new Locks(server)) {
            locks.execute("CREATE ROLE limited LOGIN PASSWORD 'limited'");
            locks.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON quarkus_lock, quarkus_lock_claim TO limited");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static AgroalDataSource pool() {
        return Databases.pool(server.kind(), server.url(), USER, USER, 4);
    }

    private static LockDatabase database(AgroalDataSource pool) {
        return LockDatabase.of(pool, Databases.sessions(server.kind()),
                () -> DriverManager.getConnection(server.url(), USER, USER), Databases.OPTIONS);
    }

    @Test
    void documentedPermissionsAreSufficient() throws Exception {
        try (AgroalDataSource pool = pool(); AgroalDataSource another = pool()) {
            LockDatabase listening = database(another);
            try (LockEngine one = engine(database(pool)); LockEngine other = engine(listening)) {
                handOver(one.manager(ManagerDefaults.STANDARD), other.manager(ManagerDefaults.STANDARD), listening);
            }
        }
    }

    /** Notifying others is a courtesy: a holder that may not do so, or cannot at the moment, has still released its lock. */
    @Test
    void releaseSucceedsWhenNotificationIsForbidden() throws Exception {
        try (var locks = new Locks(server);
                AgroalDataSource pool = pool();
                AgroalDataSource another = pool();
                LockEngine one = engine(database(pool));
                LockEngine other = engine(database(another));
                LockEngine third = engine(database(pool))) {
            LockHandle first = one.manager(ManagerDefaults.STANDARD).lock("untold").acquire();
            var second = other.manager(ManagerDefaults.STANDARD).lock("untold", PATIENT).acquireAsync()
                    .subscribeAsCompletionStage();
            var last = third.manager(ManagerDefaults.STANDARD).lock("untold", PATIENT).acquireAsync()
                    .subscribeAsCompletionStage();
            Await.until("two wait", SOON, () -> locks.number("SELECT COUNT(*) FROM quarkus_lock_claim WHERE kind = 'W'") == 2);
            first.close();
            CompletableFuture.anyOf(second, last).get(SOON.toSeconds(), TimeUnit.SECONDS);
            locks.execute("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC");
            try {
                (second.isDone() ? second : last).join().release().await().atMost(SOON);
                CompletableFuture.allOf(second, last).get(SOON.toSeconds(), TimeUnit.SECONDS);
            } finally {
                locks.execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
            }
        }
    }

    @Test
    void waiterThatMayNotNotifyStillQueues() throws Exception {
        try (var locks = new Locks(server);
                AgroalDataSource pool = pool();
                LockEngine one = engine(database(pool));
                LockEngine other = engine(database(pool))) {
            LockHandle first = one.manager(ManagerDefaults.STANDARD).lock("silent").acquire();
            locks.execute("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC");
            try {
                var second = other.manager(ManagerDefaults.STANDARD).lock("silent", PATIENT).acquireAsync()
                        .subscribeAsCompletionStage();
                Await.until("it waits", SOON,
                        () -> locks.number("SELECT COUNT(*) FROM quarkus_lock_claim WHERE kind = 'W'") == 1);
                assertThat(second).isNotCompletedExceptionally();
                first.close();
                second.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
            } finally {
                locks.execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
            }
        }
    }

    /** A failed message does not show whether the change that was sent with it was made. */
    @Test
    @Fault(521)
    void fault521_holderThatMayNotNotifyStillLearnsOfLoss() throws Exception {
        Queue<String> sent = new ConcurrentLinkedQueue<>();
        try (var locks = new Locks(server); AgroalDataSource pool = pool(); LockEngine one = engine(watched(pool, sent))) {
            try (LockEngine other = engine(watched(pool, sent)); LockEngine third = engine(watched(pool, sent))) {
                locks.execute("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC");
                try {
                    LockHandle awaited = awaited(locks, one, other, third, "lost");
                    assertThat(one.manager(ManagerDefaults.STANDARD).forceRelease("lost")).isTrue();
                    awaited.release().await().atMost(SOON);
                    assertThat(awaited.lost().toCompletableFuture()).succeedsWithin(SOON);
                    assertThat(sent).as("messages that are sent together with a change").noneMatch(TOLD_WITH_IT);
                } finally {
                    locks.execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
                }
            }
            Await.until("what succeeds is sent with its change again", SOON, () -> {
                sent.clear();
                try (LockEngine other = engine(watched(pool, sent)); LockEngine third = engine(watched(pool, sent))) {
                    for (int i = 0; i < 2; i++) { // the first time a message is sent by itself
                        awaited(locks, one, other, third, "told").release().await().atMost(SOON);
                    }
                }
                return sent.stream().anyMatch(TOLD_WITH_IT);
            });
        }
    }

    private static final Predicate<String> TOLD_WITH_IT = sql -> sql.contains("pg_notify") && sql.contains("UPDATE");

    /** A grant with another waiter already behind it. */
    private static LockHandle awaited(Locks locks, LockEngine one, LockEngine other, LockEngine third, String name)
            throws Exception {
        LockOptions patient = PATIENT.withLease(Duration.ofHours(1)).withRenew(false);
        LockHandle first = one.manager(ManagerDefaults.STANDARD).lock(name).acquire();
        var second = other.manager(ManagerDefaults.STANDARD).lock(name, patient).acquireAsync().subscribeAsCompletionStage();
        Await.until("one waits", SOON, () -> waiting(locks) == 1);
        var last = third.manager(ManagerDefaults.STANDARD).lock(name, patient).acquireAsync().subscribeAsCompletionStage();
        Await.until("two wait", SOON, () -> waiting(locks) == 2);
        first.close();
        LockHandle got = second.get(SOON.toSeconds(), TimeUnit.SECONDS);
        last.thenAccept(LockHandle::close);
        return got;
    }

    private static long waiting(Locks locks) throws SQLException {
        return locks.number("SELECT COUNT(*) FROM quarkus_lock_claim WHERE kind = 'W'");
    }

    private static LockDatabase watched(AgroalDataSource pool, Queue<String> sent) {
        return LockDatabase.of(Intercepted.statements(pool, sent::add), Databases.sessions(server.kind()), null,
                Databases.OPTIONS);
    }

    private static LockEngine engine(LockDatabase database) {
        return LockEngine.builder(new JpaLockBackend(database, "permissions", "somebody")).start();
    }

    private static void handOver(LockManager a, LockManager b, LockDatabase listening) throws Exception {
        LockHandle first = a.lock("name").acquire();
        CompletableFuture<LockHandle> next = b.lock("name", PATIENT).acquireAsync().subscribeAsCompletionStage();
        Await.until("it waits, and is told by the database", SOON,
                () -> a.inspect("name").orElseThrow().waiters() > 0 && Databases.notified(listening));
        first.close();
        LockHandle second = next.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(a.forceRelease("name")).isTrue();
        try (LockHandle third = a.lock("name", PATIENT).acquire()) {
            assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
        }
        second.close();
    }
}
