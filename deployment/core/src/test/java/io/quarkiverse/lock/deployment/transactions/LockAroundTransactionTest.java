package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionScoped;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.test.QuarkusUnitTest;

/** A blocking method with its own transaction: the lock is held before that begins and until it has completed. */
class LockAroundTransactionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Begun.class, Watched.class, Watched.End.class,
                    Watched.Sync.class, Loses.class,
                    Loses.When.class, Loses.BeforeBody.class, Loses.AfterBody.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    private final AtomicReference<Watched> watched = new AtomicReference<>();

    @BeforeEach
    void nothingWatched() {
        watched.set(null);
    }

    @Test
    void lockIsHeldUntilAfterCommit() throws Exception {
        String result = orders.pay(() -> {
            watch();
            return "paid";
        });
        assertThat(result).isEqualTo("paid");
        assertThat(end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        assertThat(held("order")).isFalse();
    }

    @Test
    void transactionBeginsOnlyAfterGrant() throws Exception {
        Begun.COUNT.set(0);
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThatThrownBy(() -> orders.payNow(() -> "paid")).isInstanceOf(LockBusyException.class);
            assertThat(Begun.COUNT).hasValue(0);
        }
        orders.payNow(() -> "paid");
        assertThat(Begun.COUNT).hasValue(1);
    }

    @Test
    void lockIsHeldUntilAfterRollback() throws Exception {
        IllegalStateException failure = new IllegalStateException("on purpose");
        assertThatThrownBy(() -> orders.pay(() -> {
            watch();
            throw failure;
        })).isSameAs(failure).hasNoSuppressedExceptions();
        assertThat(end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
        assertThat(held("order")).isFalse();
    }

    @Test
    void lossInBodyRollsBack() throws Exception {
        assertThatThrownBy(() -> orders.pay(() -> {
            watch();
            return lose();
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'order'").hasMessageContaining("force-released");
        assertThat(end().committed()).isFalse();
    }

    @Test
    void lossAfterBodyIsDetectedAtCommit() throws Exception {
        assertThatThrownBy(() -> orders.loseAfterwards(() -> {
            watch();
            return "paid";
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'order'")
                .satisfies(LockAroundTransactionTest::printable);
        assertThat(end().committed()).isFalse();
    }

    @Test
    void fault156_lossInLaterSynchronizationIsDetected() throws Exception {
        assertThatThrownBy(() -> orders.pay(() -> {
            watch();
            orders.beforeTheCommit(this::lose);
            return "paid";
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'order'");
        assertThat(end().committed()).isFalse();
    }

    @Test
    void fault156_lossInInterposedSynchronizationIsDetected() throws Exception {
        assertThatThrownBy(() -> orders.pay(() -> {
            watch();
            Watched.beforeTheCommit(this::lose);
            return "paid";
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'order'");
        assertThat(end().committed()).isFalse();
    }

    @Test
    void fault156_lossInNestedSynchronizationIsDetected() throws Exception {
        assertThatThrownBy(() -> orders.pay(() -> {
            watch();
            orders.beforeTheCommit(() -> Watched.beforeTheCommit(this::lose));
            return "paid";
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'order'");
        assertThat(end().committed()).isFalse();
    }

    @Test
    void lossBeforeBodyPreventsItsExecution() throws Exception {
        assertThatThrownBy(() -> orders.loseBefore(() -> {
            watch();
            return "paid";
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'order'");
        assertThat(watched.get()).as("the body was not run").isNull();
    }

    @Test
    void notifyCommitsDespiteLoss() throws Exception {
        String result = orders.goOn(() -> {
            watch();
            return lose();
        });
        assertThat(result).isEqualTo("lost");
        assertThat(end().committed()).isTrue();
    }

    @Test
    void interruptEndsBlockedBody() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> orders.stopAtOnce(() -> {
            watch();
            loseElsewhere();
            never.await();
            return null;
        })).isInstanceOf(LockLostException.class).satisfies(
                failure -> assertThat(failure.getSuppressed()).hasAtLeastOneElementOfType(InterruptedException.class));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(end()).isEqualTo(new End(false, false));
    }

    @Test
    void ignoredInterruptIsClearedAfterBody() throws Exception {
        AtomicBoolean interruptedAtTheEnd = new AtomicBoolean();
        assertThatThrownBy(() -> orders.stopAtOnce(() -> {
            watch();
            Watched.atTheEnd(status -> interruptedAtTheEnd.set(Thread.currentThread().isInterrupted()));
            loseElsewhere();
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            return null;
        })).isInstanceOf(LockLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(interruptedAtTheEnd).as("the rollback ran with our interrupt pending").isFalse();
        assertThat(end().committed()).isFalse();
    }

    @Test
    void bodyFailureTakesPrecedenceOverLoss() throws Exception {
        IllegalStateException failure = new IllegalStateException("on purpose");
        assertThatThrownBy(() -> orders.pay(() -> {
            watch();
            lose();
            throw failure;
        })).isSameAs(failure).satisfies(thrown -> assertThat(thrown.getSuppressed()).singleElement()
                .isInstanceOf(LockLostException.class));
        assertThat(end().committed()).isFalse();
    }

    @Test
    void nestedCallRunsInRollbackOnlyTransaction() throws Exception {
        assertThat(orders.pay(() -> {
            watch();
            orders.doom();
            return orders.pay(() -> "nested");
        })).isEqualTo("nested");
        assertThat(end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
    }

    private void watch() {
        watched.set(Watched.transaction("order"));
    }

    private End end() throws Exception {
        return watched.get().end();
    }

    private String lose() {
        assertThat(locks.forceRelease("order")).isTrue();
        return "lost";
    }

    private void loseElsewhere() {
        Thread loser = new Thread(this::lose);
        loser.setDaemon(true);
        loser.start();
    }

    /** Log formatters follow causes and suppressed exceptions, so these must not lead back. */
    private static void printable(Throwable failure) {
        StringWriter writer = new StringWriter();
        failure.printStackTrace(new PrintWriter(writer));
        assertThat(writer.toString()).doesNotContain("CIRCULAR");
    }

    @ApplicationScoped
    public static class Orders {

        @Inject
        TransactionManager transactions;

        @Locked("order")
        @Transactional
        String pay(Callable<String> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", waitFor = "0")
        @Transactional
        String payNow(Callable<String> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        @Transactional
        @Loses(Loses.When.BEFORE_BODY)
        String loseBefore(Callable<String> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        @Transactional
        @Loses(Loses.When.AFTER_BODY)
        String loseAfterwards(Callable<String> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", onLost = OnLost.NOTIFY)
        @Transactional
        String goOn(Callable<String> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", onLost = OnLost.INTERRUPT)
        @Transactional(rollbackOn = Exception.class)
        String stopAtOnce(Callable<String> body) throws Exception {
            return body.call();
        }

        void beforeTheCommit(Runnable task) throws Exception {
            transactions.getTransaction().registerSynchronization(new Watched.Sync(task, status -> {
            }));
        }

        void doom() throws Exception {
            transactions.setRollbackOnly();
        }
    }

    /** Counts transactions. */
    @Singleton
    public static class Begun {

        static final AtomicInteger COUNT = new AtomicInteger();

        void begun(@Observes @Initialized(TransactionScoped.class) Object transaction) {
            COUNT.incrementAndGet();
        }
    }
}
