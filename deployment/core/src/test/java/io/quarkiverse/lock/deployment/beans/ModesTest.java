package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Shared and counted calls. */
class ModesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Catalog.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    LockManager locks;

    @Inject
    Catalog catalog;

    @Inject
    UserTransaction transaction;

    private ExecutorService threads;

    @BeforeEach
    void start() {
        threads = Executors.newFixedThreadPool(3);
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void sharedCallsRunTogetherAndBlockExclusiveOnes() throws Exception {
        var both = new CyclicBarrier(3);
        Future<String> one = threads.submit(() -> catalog.read(() -> await(both)));
        Future<String> two = threads.submit(() -> catalog.read(() -> await(both)));
        String third = catalog.read(() -> {
            assertThat(elsewhere(locks.lock("catalog"))).isFalse();
            return await(both);
        });
        assertThat(third).isEqualTo("met").isEqualTo(one.get()).isEqualTo(two.get());
        assertThat(elsewhere(locks.lock("catalog"))).isTrue();
    }

    @Test
    void countedCallsRunTogetherUpToTheLimit() throws Exception {
        var both = new CyclicBarrier(2);
        Future<String> one = threads.submit(() -> catalog.export(() -> await(both)));
        String two = catalog.export(() -> {
            awaitTwoHolders();
            assertThat(elsewhere(locks.lock("export", LockOptions.DEFAULTS.withLimit(3)))).as("two holders").isFalse();
            return await(both);
        });
        assertThat(two).isEqualTo("met").isEqualTo(one.get());
    }

    @Test
    void callBeyondTheLimitIsBusy() throws Exception {
        var both = new CyclicBarrier(3);
        Future<String> one = threads.submit(() -> catalog.export(() -> await(both)));
        Future<String> two = threads.submit(() -> catalog.export(() -> await(both)));
        awaitTwoHolders();
        assertThatThrownBy(() -> catalog.export(() -> "in")).isInstanceOf(LockBusyException.class);
        await(both);
        assertThat(one.get()).isEqualTo("met").isEqualTo(two.get());
    }

    @Test
    void sharedNestsInExclusiveButNotViceVersa() {
        assertThat(catalog.write(() -> catalog.read(() -> "read"))).isEqualTo("read");
        assertThatThrownBy(() -> catalog.read(() -> catalog.write(() -> "written"))).isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'catalog'", "SHARED", "EXCLUSIVE");
        assertThat(catalog.readLater(() -> catalog.readLater(() -> Uni.createFrom().item("read"))).await().indefinitely())
                .isEqualTo("read");
        assertThatThrownBy(() -> catalog.readLater(() -> catalog.writeLater(() -> Uni.createFrom().item("written")))
                .await().indefinitely()).isInstanceOf(IllegalStateException.class);
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void sharedLockIsNotUpgradedWithinTransaction() throws Exception {
        transaction.begin();
        try {
            assertThat(catalog.read(() -> "read")).isEqualTo("read");
            assertThat(locks.held()).as("it belongs to the transaction").hasSize(1);
            assertThat(catalog.read(() -> "again")).isEqualTo("again");
            assertThatThrownBy(() -> catalog.write(() -> "written")).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("SHARED");
            assertThatThrownBy(() -> catalog.writeApart(() -> "written")).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("suspended");
            assertThat(catalog.readApart(() -> "beside it")).isEqualTo("beside it");
        } finally {
            transaction.rollback();
        }
        assertThat(locks.held()).isEmpty();
    }

    /** Whether another thread, which has none of this thread's locks, can take it. */
    private boolean elsewhere(DistributedLock lock) {
        try {
            return threads.submit(() -> {
                var hold = lock.tryAcquire(Duration.ZERO);
                hold.ifPresent(LockHandle::close);
                return hold.isPresent();
            }).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitTwoHolders() {
        long begin = System.nanoTime();
        while (locks.held().size() < 2) {
            assertThat(System.nanoTime() - begin).as("the wait for two holders").isLessThan(TimeUnit.SECONDS.toNanos(20));
            Thread.onSpinWait();
        }
    }

    private static String await(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
            return "met";
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ApplicationScoped
    public static class Catalog {

        @Locked(value = "catalog", mode = LockMode.SHARED)
        String read(Supplier<String> body) {
            return body.get();
        }

        @Locked("catalog")
        String write(Supplier<String> body) {
            return body.get();
        }

        @Locked(value = "catalog", mode = LockMode.SHARED)
        Uni<String> readLater(Supplier<Uni<String>> body) {
            return body.get();
        }

        @Locked("catalog")
        Uni<String> writeLater(Supplier<Uni<String>> body) {
            return body.get();
        }

        @Locked(value = "export", limit = 2, waitFor = "0")
        String export(Supplier<String> body) {
            return body.get();
        }

        // Around the lock, so that the outer transaction is suspended when the lock is taken
        String writeApart(Supplier<String> body) {
            return apart(() -> write(body));
        }

        String readApart(Supplier<String> body) {
            return apart(() -> read(body));
        }

        @Transactional(TxType.REQUIRES_NEW)
        String apart(Supplier<String> body) {
            return body.get();
        }
    }
}
