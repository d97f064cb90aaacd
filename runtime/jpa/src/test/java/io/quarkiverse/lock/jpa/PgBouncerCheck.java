package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** What the guide says about PgBouncer. Needs its executable, which not every machine has. */
@DisplayNameGeneration(FaultDisplayNames.class)
@Timeout(300)
class PgBouncerCheck {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String AS_THE_GUIDE_SAYS = "?prepareThreshold=0";
    private static final int CONNECTIONS = 3;

    private static PostgresServer server;
    private static PgBouncer bouncer;

    private Locks locks;
    private final List<AutoCloseable> closeables = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() throws Exception {
        server = Databases.prepared(PostgresServer.start(Map.of()));
        bouncer = PgBouncer.before(server, CONNECTIONS);
    }

    @AfterAll
    static void stop() throws Exception {
        if (bouncer != null) {
            bouncer.close();
        }
        server.close();
    }

    @BeforeEach
    void begin() {
        locks = new Locks(server);
    }

    @AfterEach
    void end() throws Exception {
        threads.shutdownNow();
        locks.close();
        for (AutoCloseable each : closeables) {
            each.close();
        }
    }

    private LockDatabase database(String url, boolean listen) {
        return new Databases(JpaLockOptions.STANDARD.withListen(listen), false).database(server, url, 8, closeables::add);
    }

    private LockManager jvm(String url, boolean listen) {
        return locks.jvm(database(url, listen));
    }

    @Test
    @Fault(59)
    void fault59_leasesWorkThroughTransactionPooling() throws Exception {
        LockManager a = jvm(bouncer.transactions(AS_THE_GUIDE_SAYS), false);
        LockManager b = jvm(bouncer.transactions(AS_THE_GUIDE_SAYS), false);
        assertThat(counted(a, b, a, b, a, b)).isEqualTo(6 * 25);
        isRenewedAndHandedOver(a, b);
        LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        try (LockHandle one = a.lock("shared", shared).acquire(); LockHandle other = b.lock("shared", shared).acquire()) {
            assertThat(one.isValid() && other.isValid()).isTrue();
            assertThat(a.lock("shared").tryAcquire(Duration.ZERO)).isEmpty();
        }
        assertThat(locks.number("SELECT COUNT(*) FROM pg_stat_activity WHERE application_name LIKE 'PostgreSQL JDBC%' "
                + "AND pid <> pg_backend_pid()")).as("of 16 clients").isLessThanOrEqualTo(CONNECTIONS);
    }

    @Test
    @Fault(59)
    void fault59_listeningThroughTransactionPoolingIsHarmless() throws Exception {
        LockManager a = jvm(bouncer.transactions(AS_THE_GUIDE_SAYS), true);
        LockManager b = jvm(bouncer.transactions(AS_THE_GUIDE_SAYS), true);
        assertThat(counted(a, b, a, b, a, b)).isEqualTo(6 * 25);
        isRenewedAndHandedOver(a, b);
    }

    @Test
    @Fault(521)
    void fault521_listenerHearsClientsBehindTransactionPooling() throws Exception {
        LockDatabase listening = database(server.url(), true);
        LockManager holder = locks.jvm(listening);
        LockManager behind = jvm(bouncer.transactions(AS_THE_GUIDE_SAYS), false);
        LockOptions reads = LockOptions.DEFAULTS.withMode(LockMode.SHARED).withLease(Duration.ofHours(1)).withRenew(false);
        LockHandle hold = holder.lock("asked", reads).acquire();
        Await.until("messages arrive", SOON, () -> Databases.notified(listening));
        assertThat(behind.requestRelease("asked")).isTrue();
        assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(behind.forceRelease("asked")).isTrue();
        Await.until("the holder is told", SOON, () -> !hold.isValid());
    }

    @Test
    @Fault(59)
    void fault59_releaseMessagesArriveThroughSessionPooling() throws Exception {
        LockDatabase listening = database(bouncer.sessions(), true);
        LockManager a = jvm(bouncer.sessions(), true);
        LockManager b = locks.jvm(listening);
        isRenewedAndHandedOver(a, b);
        Await.until("messages arrive", SOON, () -> Databases.notified(listening));
        isRenewedAndHandedOver(a, b);
        assertThat(counted(a, b, a, b, a, b)).isEqualTo(6 * 25);
    }

    @Test
    @Fault(59)
    void fault59_locksInTransactionsWorkThroughTransactionPooling() throws Exception {
        String namespace = "bounced-" + UUID.randomUUID();
        String url = bouncer.transactions(AS_THE_GUIDE_SAYS);
        Duration lease = Duration.ofSeconds(9);
        try (var a = new TransactionalJvm("postgresql", url, server.user(), server.password(), namespace, 8, lease, false);
                var b = new TransactionalJvm("postgresql", url, server.user(), server.password(), namespace, 8, lease, false)) {
            assertThat(counted(a.locks, b.locks)).isEqualTo(2 * 25);
            TransactionalJvm.inTransaction(() -> {
                LockHandle hold = a.locks.lock("held").acquire();
                Await.during("its session is found", lease, hold::isValid);
                Callable<Boolean> elsewhere = () -> TransactionalJvm.inTransaction(() -> {
                    boolean free = b.locks.lock("held").tryAcquire(Duration.ofMillis(100)).isPresent();
                    b.read("SELECT 1");
                    return free;
                });
                assertThat(get(threads.submit(elsewhere))).isFalse();
                return true;
            });
            assertThat(TransactionalJvm.inTransaction(() -> b.locks.lock("held").tryAcquire(Duration.ZERO))).isPresent();
        }
    }

    /** The same applies to everything else that the application does in the database. */
    @Test
    @Fault(59)
    void fault59_lostPreparedStatementNamesTheSetting() throws Exception {
        LockManager a = jvm(bouncer.transactions(""), false);
        LockManager b = jvm(bouncer.transactions(""), false);
        var failures = new ArrayList<Throwable>();
        for (int round = 0; round < 50 && failures.stream().noneMatch(PgBouncerCheck::namesTheSetting); round++) {
            var running = new ArrayList<Future<?>>();
            for (int i = 0; i < 8; i++) {
                String name = "prepared-" + i;
                LockManager jvm = i % 2 == 0 ? a : b;
                running.add(threads.submit(() -> {
                    for (int k = 0; k < 20; k++) {
                        jvm.lock(name).acquire().close();
                    }
                }));
            }
            for (Future<?> each : running) {
                try {
                    each.get(SOON.toSeconds(), TimeUnit.SECONDS);
                } catch (java.util.concurrent.ExecutionException e) {
                    failures.add(e.getCause());
                }
            }
        }
        assertThat(failures).hasOnlyElementsOfType(LockBackendException.class).anyMatch(PgBouncerCheck::namesTheSetting);
    }

    /** Not all failures do: a statement that meets another JVM's statement of the same name fails as that one does. */
    private static boolean namesTheSetting(Throwable failure) {
        return failure.getMessage().contains("prepared statement") && failure.getMessage()
                .contains("quarkus.datasource.jdbc.additional-jdbc-properties.prepareThreshold=0");
    }

    /** @return the total count of all of them, 25 for each */
    private long counted(LockManager... jvms) throws Exception {
        int[] counter = new int[1];
        var running = new ArrayList<Future<?>>();
        for (LockManager jvm : jvms) {
            running.add(threads.submit(() -> {
                for (int i = 0; i < 25; i++) {
                    jvm.lock("counter").call(() -> {
                        int seen = counter[0];
                        Thread.yield();
                        counter[0] = seen + 1;
                        return seen;
                    });
                }
                return true;
            }));
        }
        for (Future<?> each : running) {
            get(each);
        }
        return counter[0];
    }

    private void isRenewedAndHandedOver(LockManager from, LockManager to) throws Exception {
        Future<LockHandle> waiter;
        try (LockHandle hold = from.lock("turn", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(6))).acquire()) {
            waiter = threads.submit(() -> to.lock("turn", LockOptions.DEFAULTS.withWaitFor(SOON)).acquire());
            Await.during("it is renewed", Duration.ofSeconds(8), () -> hold.isValid() && !waiter.isDone());
        }
        try (LockHandle next = get(waiter)) {
            assertThat(next.isValid()).isTrue();
        }
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
}
