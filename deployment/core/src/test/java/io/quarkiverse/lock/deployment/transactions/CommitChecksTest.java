package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Before it commits, a transaction checks each lock around it once, and blocks only if the locked method may. */
class CommitChecksTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, PartingTime.class, Watched.class, Watched.End.class,
                    Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.active-transaction", "join");

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    @Inject
    PartingTime time;

    @Inject
    TransactionManager transactions;

    @Inject
    UserTransaction transaction;

    /** The number of this extension's synchronizations in the current transaction. */
    private int checks() throws SystemException {
        return (int) ((TransactionImple) transactions.getTransaction()).getSynchronizations().values().stream()
                .filter(each -> each.contains("JtaTransactions")).count();
    }

    @Test
    void oneCommitCheckPerLock() throws Exception {
        assertThat(orders.pay(this::checks)).isEqualTo(1);
        assertThat(orders.payForTwo(this::checks)).isEqualTo(2);
        assertThat(orders.pay(() -> orders.pay(this::checks))).as("nested").isEqualTo(1);
        assertThat(locks.lock("order").call(() -> orders.pay(this::checks))).as("nested").isEqualTo(1);
        assertThat(orders.payLater(() -> completed(this::checks)).toCompletableFuture().get(20, TimeUnit.SECONDS))
                .isEqualTo(1);
    }

    @Test
    void oneCommitCheckPerLockInOuterTransaction() throws Exception {
        transaction.begin();
        try {
            assertThat(orders.pay(this::checks)).isEqualTo(1);
            assertThat(locks.lock("stock").call(() -> orders.payForTwo(this::checks))).isEqualTo(2);
        } finally {
            transaction.rollback();
        }
    }

    @Test
    void blockingMethodAsksBackendIfInDoubt() throws Exception {
        Watched watched = orders.pay(() -> {
            Watched.beforeTheCommit(time::part);
            return Watched.transaction("order");
        });
        assertThat(watched.end().committed()).isTrue();
    }

    @Test
    void completingThreadDoesNotWaitForBackend() throws Exception {
        CompletableFuture<Watched> body = new CompletableFuture<>();
        Watched[] watched = new Watched[1];
        CompletableFuture<Watched> result = orders.payLater(() -> {
            watched[0] = Watched.transaction("order");
            Watched.beforeTheCommit(time::part);
            return body;
        }).toCompletableFuture();
        body.complete(watched[0]);
        assertThatThrownBy(() -> result.get(20, TimeUnit.SECONDS)).cause().isInstanceOf(LockLostException.class)
                .hasMessageContaining("could not be confirmed after the clocks diverged");
        assertThat(watched[0].end().committed()).isFalse();
    }

    @Test
    void fault582_uniWithRefusedCommitFailsAsUnconfirmed() throws Exception {
        Watched[] watched = new Watched[1];
        CompletableFuture<String> result = orders.payInUni(() -> {
            watched[0] = Watched.transaction("order");
            Watched.beforeTheCommit(time::part);
            return "paid";
        }).subscribeAsCompletionStage();
        assertThatThrownBy(() -> result.get(20, TimeUnit.SECONDS)).cause().isInstanceOf(LockLostException.class)
                .hasMessageContaining("could not be confirmed after the clocks diverged");
        assertThat(watched[0].end().committed()).isFalse();
    }

    @Test
    void fault582_stageIsConfirmedBeforeItsCommit() throws Exception {
        Watched watched = orders.payLater(() -> completed(() -> {
            time.part();
            return Watched.transaction("order");
        })).toCompletableFuture().get(20, TimeUnit.SECONDS);
        assertThat(watched.end().committed()).isTrue();
    }

    private static <T> CompletionStage<T> completed(Callable<T> body) {
        try {
            return CompletableFuture.completedFuture(body.call());
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        @Transactional
        <T> T pay(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked({ "order", "stock" })
        @Transactional
        <T> T payForTwo(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        @Transactional
        <T> CompletionStage<T> payLater(Supplier<CompletionStage<T>> body) {
            return body.get();
        }

        @Locked("order")
        @Transactional
        <T> Uni<T> payInUni(Supplier<T> body) {
            return Uni.createFrom().item(body);
        }
    }

    /** Its wall clock can jump, as after a suspension of the machine. Its timers never run, so nothing is confirmed early. */
    @Singleton
    public static class PartingTime implements LockTime {

        private final AtomicLong ahead = new AtomicLong();

        void part() {
            ahead.addAndGet(TimeUnit.HOURS.toMillis(1));
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis() + ahead.get();
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
