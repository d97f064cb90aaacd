package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A pause outlasts the lease of a transaction's lock, and the next method under that lock runs before any timer fires. */
class OverdueInTransactionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, PausingTime.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.active-transaction", "join");

    @Inject
    Orders orders;

    @Inject
    PausingTime time;

    @Inject
    UserTransaction transaction;

    private long before;

    @BeforeEach
    void pauseInATransaction() throws Exception {
        transaction.begin();
        before = orders.pay();
        assertThat(orders.pay()).as("the transaction's own lock").isEqualTo(before);
        time.pause(Duration.ofHours(1));
    }

    @AfterEach
    void rollBack() throws Exception {
        transaction.rollback();
    }

    @Test
    void fault181_methodReacquiresOverdueLock() {
        assertThat(orders.pay()).isGreaterThan(before);
    }

    @Test
    void fault181_stageReacquiresOverdueLock() throws Exception {
        assertThat(orders.stage().toCompletableFuture().get(10, TimeUnit.SECONDS)).isGreaterThan(before);
    }

    @Test
    void fault181_uniReacquiresOverdueLock() {
        assertThat(orders.later().await().atMost(Duration.ofSeconds(10))).isGreaterThan(before);
    }

    @Test
    void fault181_methodWithSeveralNamesReacquiresOverdueLock() {
        assertThat(orders.both()).isGreaterThan(before);
    }

    /** Each method returns the fencing token that it runs under. */
    @ApplicationScoped
    public static class Orders {

        @Inject
        LockManager locks;

        @Locked(value = "order", onLost = OnLost.NOTIFY)
        long pay() {
            return token();
        }

        @Locked(value = "order", onLost = OnLost.NOTIFY)
        CompletionStage<Long> stage() {
            return CompletableFuture.completedFuture(token());
        }

        @Locked(value = "order", onLost = OnLost.NOTIFY)
        Uni<Long> later() {
            return Uni.createFrom().item(this::token);
        }

        @Locked(value = { "order", "stock" }, onLost = OnLost.NOTIFY)
        long both() {
            return token();
        }

        private long token() {
            return locks.held().stream().filter(held -> held.name().equals("order")).findFirst().orElseThrow().fencingToken();
        }
    }

    /** Its timers never run. */
    @Singleton
    public static class PausingTime implements LockTime {

        private final AtomicLong paused = new AtomicLong();

        void pause(Duration duration) {
            paused.addAndGet(duration.toNanos());
        }

        @Override
        public long nanoTime() {
            return System.nanoTime() + paused.get();
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(paused.get());
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return () -> {
            };
        }

        @Override
        public void park(Object blocker, long nanos) {
            LockSupport.parkNanos(blocker, nanos);
        }
    }
}
