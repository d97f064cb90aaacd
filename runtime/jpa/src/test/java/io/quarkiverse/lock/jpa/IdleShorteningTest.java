package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;
import io.smallrye.mutiny.Uni;

/** Leases of idle names are shortened in parallel with the renewals of held ones, so those need not wait. */
class IdleShorteningTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(30);
    /** An idle name's lease is shortened after a second. */
    private static final ManagerDefaults LINGERING = new ManagerDefaults("lingering", SOON, LEASE, true, null, OnLost.FAIL,
            Duration.ofSeconds(4));

    private static H2Database server;

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final AtomicInteger shortenings = new AtomicInteger();
    /** No shortening proceeds before this. */
    private final CountDownLatch answered = new CountDownLatch(1);
    private volatile String shorten = "";
    private Locks locks;

    @BeforeAll
    static void start() {
        server = Databases.prepared(new H2Database());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        locks = new Locks(server);
        closeables.push(locks);
    }

    @AfterEach
    void close() throws Exception {
        answered.countDown();
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
    }

    private JpaLockBackend backend(JpaLockOptions options) {
        LockDatabase database = LockDatabase.of(Intercepted.statements(locks.pool(8), sql -> {
            if (sql.equals(shorten)) {
                shortenings.incrementAndGet();
                answered.await();
            }
        }), Databases.sessions(server.kind()), null, options);
        shorten = database.statements().shorten;
        return new JpaLockBackend(database, "idle-shortening", "test");
    }

    private LockEngine engine(JpaLockBackend backend) {
        LockEngine engine = LockEngine.builder(backend).start();
        closeables.push(engine);
        return engine;
    }

    private static Grant granted(JpaLockBackend backend, String name) {
        var claim = new Claim(name, 1, name.hashCode(), LockMode.EXCLUSIVE, 0, LEASE.toNanos(), false);
        return (Grant) backend.acquire(claim).await().atMost(SOON);
    }

    @Test
    @Fault(349)
    void fault349_heldLeaseIsRenewedWhileShorteningHangs() {
        LockManager jvm = engine(backend(Databases.OPTIONS)).manager(LINGERING);
        LockHandle held = jvm.lock("held").acquire();
        jvm.lock("idle").acquire().close();
        Await.until("it is to be shortened", SOON, () -> shortenings.get() == 1);
        held.extend(Duration.ofMinutes(5));
        assertThat(held.validFor()).isGreaterThan(Duration.ofMinutes(4));
    }

    @Test
    @Fault(349)
    void fault349_releasedGrantIsNotShortened() {
        JpaLockBackend backend = backend(Databases.OPTIONS);
        engine(backend);
        answered.countDown();
        Grant grant = granted(backend, "gone");
        backend.release(grant).await().atMost(SOON);
        assertThat(backend.shortenIdle(grant).await().atMost(SOON).unknown()).hasSize(1);
        assertThat(shortenings).hasValue(0);
    }

    @Test
    @Fault(349)
    void fault349_timedOutShorteningIsSkipped() throws Exception {
        JpaLockBackend backend = backend(new JpaLockOptions(Duration.ofSeconds(2), 1, true, Duration.ofDays(7),
                "quarkus.datasource.", null));
        engine(backend);
        Grant hanging = granted(backend, "hanging");
        Grant behind = granted(backend, "behind");
        Grant last = granted(backend, "last");
        Uni<Renewal> first = backend.shortenIdle(hanging);
        first.subscribeAsCompletionStage();
        Await.until("their thread hangs", SOON, () -> shortenings.get() == 1);
        assertThat(backend.shortenIdle(behind).await().atMost(SOON).unknown()).as("in time").hasSize(1);
        answered.countDown();
        backend.shortenIdle(last).await().atMost(SOON); // by the same thread, so after everything before it
        assertThat(shortenings).hasValue(2);
    }

    @Test
    @Fault(349)
    void fault349_requestsDoNotQueueBehindShortenings() {
        JpaLockBackend backend = backend(Databases.OPTIONS);
        engine(backend);
        for (int i = 0; i < 20; i++) {
            backend.shortenIdle(granted(backend, "idle-" + i)).subscribeAsCompletionStage();
        }
        Await.until("one hangs", SOON, () -> shortenings.get() == 1);
        Grant asked = granted(backend, "asked");
        backend.release(asked).await().atMost(SOON);
        assertThat(shortenings).hasValue(1);
    }
}
