package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;

/** Locks in the same database as the application's transactions, but outside them. */
class TransactionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:transactions;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.max-size", "6")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Counter.class));

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    @Test
    void nextHolderReadsLastCommit() throws Exception {
        orders.create(1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                running.add(threads.submit(() -> {
                    for (int k = 0; k < 25; k++) {
                        orders.add(1);
                        assertThatThrownBy(() -> orders.addAndFail(1)).hasMessage("roll back");
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get(120, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(orders.value(1)).isEqualTo(100);
    }

    /** Hibernate flushes just before the commit, in a synchronization that runs after the lock's. */
    @Test
    @Fault(156)
    void fault156_lossDuringFlushRollsBack() {
        orders.create(2);
        assertThatThrownBy(() -> orders.addAndLoseInTheFlush(2)).isInstanceOf(LockLostException.class)
                .hasMessageContaining("'counter-2'");
        assertThat(orders.value(2)).isZero();
        orders.add(2);
        assertThat(orders.value(2)).isEqualTo(1);
    }

    @Test
    void sharedAndLimitedHoldersRunConcurrently() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            var inside = new CyclicBarrier(2);
            Callable<Integer> meet = () -> inside.await(60, TimeUnit.SECONDS);
            for (boolean reading : new boolean[] { true, false }) {
                List<Future<Integer>> both = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    both.add(threads.submit(() -> reading ? orders.reading(2, meet) : orders.exporting(2, meet)));
                }
                for (Future<Integer> each : both) {
                    assertThat(each.get(120, TimeUnit.SECONDS)).isBetween(0, 1);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void fault52_rollbackDoesNotRevertTheLock() {
        assertThatThrownBy(() -> QuarkusTransaction.requiringNew().run(() -> {
            orders.lockInTransaction("rolled-back");
            throw new IllegalStateException("roll back");
        })).hasMessage("roll back");
        assertThat(orders.single("SELECT COUNT(*) FROM quarkus_lock WHERE name LIKE '%rolled-back'")).isEqualTo(1L);
        Await.until("it is released after the rollback", Duration.ofSeconds(10),
                () -> locks.inspect("rolled-back").isEmpty());
    }

    @Test
    void fault51_lockInTransactionIsReleasedAfterCommit() {
        QuarkusTransaction.requiringNew().run(() -> {
            orders.lockInTransaction("outer");
            assertThat(locks.inspect("outer").orElseThrow().holders()).hasSize(1);
            assertThat(orders.single("SELECT COUNT(*) FROM quarkus_lock WHERE name LIKE '%:outer' AND token IS NOT NULL"))
                    .as("the lock is already committed").isEqualTo(1L);
        });
        Await.until("it is released after the commit", Duration.ofSeconds(10), () -> locks.inspect("outer").isEmpty());
    }

    @Test
    void fault50_holdersDoNotPinConnections() {
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            holds.add(locks.lock("pinned-" + i).acquire());
        }
        assertThat(orders.single("SELECT COUNT(*) FROM quarkus_lock WHERE name LIKE '%pinned-%' AND token IS NOT NULL"))
                .isEqualTo(50L);
        holds.forEach(LockHandle::close);
    }
}
