package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.Release;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;

/** A lock that is taken inside a transaction belongs to it. */
class ActiveTransactionTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Outer.class, Watched.class, Watched.End.class,
                    Watched.Sync.class, Loses.class, Loses.When.class, Loses.BeforeBody.class, Loses.AfterBody.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Inject
    Outer outer;

    @Inject
    UserTransaction transaction;

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    @AfterEach
    void nothingIsLeft() throws Exception {
        transaction.setTransactionTimeout(0);
        assertFree();
    }

    @Test
    void lockIsHeldUntilAfterCommit() throws Exception {
        Watched watched = outer.inTransaction(() -> {
            Watched watch = Watched.transaction("order");
            orders.pay(() -> "paid");
            assertThat(held("order")).as("held after the method").isTrue();
            return watch;
        });
        assertThat(watched.end()).isEqualTo(End.COMMITTED_WHILE_HELD);
    }

    @Test
    void lockIsHeldUntilAfterRollback() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        Watched watched = Watched.transaction("order");
        transaction.rollback();
        assertThat(watched.end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
    }

    @Test
    void fault156_lossInSynchronizationRollsBack() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        Watched watched = Watched.transaction("order");
        Watched.beforeTheCommit(() -> locks.forceRelease("order"));
        assertThatThrownBy(transaction::commit).isInstanceOf(RollbackException.class)
                .hasStackTraceContaining("LockLostException");
        assertThat(watched.end().committed()).isFalse();
    }

    @Test
    void failedMethodLeavesLockToTransaction() throws Exception {
        transaction.begin();
        assertThatThrownBy(() -> orders.pay(() -> {
            throw new IllegalStateException("on purpose");
        })).hasMessage("on purpose");
        assertThat(held("order")).isTrue();
        transaction.commit();
    }

    @Test
    void callsInSameTransactionReenter() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        assertThat(orders.pay(() -> orders.pay(() -> "again"))).isEqualTo("again");
        assertThat(orders.payLater().await().atMost(Duration.ofSeconds(10))).isEqualTo("later");
        assertThat(held("order")).isTrue();
        transaction.commit();
    }

    @Test
    void lockOfUniBelongsToTransaction() throws Exception {
        transaction.begin();
        assertThat(orders.payLater().await().atMost(Duration.ofSeconds(10))).isEqualTo("later");
        assertThat(held("order")).isTrue();
        Watched watched = Watched.transaction("order");
        transaction.commit();
        assertThat(watched.end()).isEqualTo(End.COMMITTED_WHILE_HELD);
    }

    @Test
    void fault402_lockOfWaitingUniBelongsToTransaction() throws Exception {
        LockHandle other = locks.lock("order").acquire();
        transaction.begin();
        var paying = orders.payInAUni(() -> Watched.transaction("order")).subscribeAsCompletionStage();
        other.close();
        Watched watched = paying.get(10, TimeUnit.SECONDS);
        assertThat(held("order")).isTrue();
        transaction.commit();
        assertThat(watched.end()).isEqualTo(End.COMMITTED_WHILE_HELD);
    }

    @Test
    void fault402_lockOfWaitingMultiBelongsToTransaction() throws Exception {
        LockHandle other = locks.lock("order").acquire();
        transaction.begin();
        var paying = orders.payInAMulti(() -> Watched.transaction("order")).collect().asList().subscribeAsCompletionStage();
        other.close();
        Watched watched = paying.get(10, TimeUnit.SECONDS).get(0);
        assertThat(held("order")).isTrue();
        transaction.commit();
        assertThat(watched.end()).isEqualTo(End.COMMITTED_WHILE_HELD);
    }

    @Test
    void timeoutDuringMethodKeepsLockUntilReturn() throws Exception {
        transaction.setTransactionTimeout(1);
        transaction.begin();
        orders.pay(() -> {
            Watched watched = Watched.transaction("order");
            assertThat(watched.end().committed()).as("rolled back by the reaper").isFalse();
            assertThat(held("order")).as("held while the method runs").isTrue();
            return "too late";
        });
        // the reaper has released it by now, or is about to
        assertFree();
        transaction.rollback();
    }

    @Test
    void timeoutAfterMethodRollsBackUnderLock() throws Exception {
        transaction.setTransactionTimeout(1);
        transaction.begin();
        Watched watched = Watched.transaction("order");
        orders.pay(() -> "paid");
        assertThat(watched.end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
        assertFree();
        transaction.rollback();
    }

    @Test
    void lossAfterMethodFailsCommit() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        locks.forceRelease("order");
        assertThatThrownBy(transaction::commit).isInstanceOf(RollbackException.class);
    }

    @Test
    void rollbackOnlyTransactionTakesNoLock() throws Exception {
        transaction.begin();
        transaction.setRollbackOnly();
        assertThatThrownBy(() -> orders.pay(() -> "paid")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is marked for rollback");
        assertThat(held("order")).isFalse();
        transaction.rollback();
    }

    @Test
    void rollbackOnlyTransactionKeepsOuterLock() throws Exception {
        transaction.begin();
        transaction.setRollbackOnly();
        Uni<Boolean> body = orders.payLater().onItemOrFailure().transform((item, failure) -> {
            assertThat(failure).isInstanceOf(IllegalStateException.class).hasMessageContaining("is marked for rollback");
            return held("order");
        });
        assertThat(locks.lock("order").callAsync(() -> body).await().atMost(SOON)).as("held while the outer body runs")
                .isTrue();
        Uni<Boolean> items = orders.payEach().collect().asList().onItemOrFailure().transform((item, failure) -> {
            assertThat(failure).isInstanceOf(IllegalStateException.class).hasMessageContaining("is marked for rollback");
            return held("order");
        });
        assertThat(locks.lock("order").callAsync(() -> items).await().atMost(SOON)).isTrue();
        assertThat(held("order")).isFalse();
        transaction.rollback();
    }

    @Test
    void transactionCommittedMeanwhileTakesNoLock() throws Exception {
        LockHandle hold = locks.lock("order").acquire();
        transaction.begin();
        var paying = orders.payLater().subscribeAsCompletionStage();
        transaction.commit();
        hold.close();
        assertThatThrownBy(() -> paying.get(10, TimeUnit.SECONDS)).cause().isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Lock 'order' is not taken, because the active transaction is already ending");
        assertThat(held("order")).isFalse();
    }

    @Test
    void onReturnReleasesBeforeCommit() throws Exception {
        transaction.begin();
        assertThat(orders.payBriefly(() -> held("order"))).isTrue();
        assertThat(held("order")).isFalse();
        transaction.commit();
    }

    @Test
    void fault315_releaseOnReturnDoesNotFailCommit() throws Exception {
        transaction.begin();
        Watched watched = Watched.transaction("order");
        assertThat(orders.payBrieflyInTransaction(() -> held("order"))).isTrue();
        assertThat(held("order")).isFalse();
        transaction.commit();
        assertThat(watched.end().committed()).isTrue();
    }

    @Test
    void fault315_releaseByUniDoesNotFailCommit() throws Exception {
        transaction.begin();
        assertThat(orders.payBrieflyLater(() -> held("order")).await().atMost(SOON)).isTrue();
        assertThat(held("order")).isFalse();
        transaction.commit();
    }

    @Test
    void fault315_releaseByCallDoesNotFailCommit() throws Exception {
        Watched watched = outer.inTransaction(() -> {
            Watched watch = Watched.transaction("order");
            locks.lock("order").call(() -> orders.payInTransaction(() -> "paid"));
            assertThat(held("order")).isFalse();
            return watch;
        });
        assertThat(watched.end().committed()).isTrue();
    }

    @Test
    void fault315_lossBeforeReturnFailsCommit() throws Exception {
        transaction.begin();
        assertThatThrownBy(() -> orders.payBrieflyAndLose(() -> "paid")).isInstanceOf(LockLostException.class);
        assertThatThrownBy(transaction::commit).isInstanceOf(RollbackException.class)
                .hasStackTraceContaining("LockLostException");
    }

    @Test
    void newTransactionDoesNotWaitForSuspendedOne() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        long begun = System.nanoTime();
        assertThatThrownBy(() -> outer.inNewTransaction(() -> orders.pay(() -> "never")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'order'").hasMessageContaining("Orders.pay").hasMessageContaining("REQUIRES_NEW");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as("no wait").isLessThan(Duration.ofSeconds(5));
        transaction.commit();
    }

    @Test
    void stageInNewTransactionDoesNotWait() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        assertThatThrownBy(() -> outer.inNewTransaction(() -> orders.payInAStage()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'order'").hasMessageContaining("Orders.payInAStage")
                .hasMessageContaining("REQUIRES_NEW");
        transaction.commit();
    }

    @Test
    void newTransactionRunsUnderOuterLock() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        Watched inner = orders.payApart(() -> Watched.transaction("order"));
        assertThat(inner.end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        assertThat(held("order")).as("held until the outer one has ended").isTrue();
        transaction.commit();
    }

    @Test
    void lossInNewTransactionRollsBackBoth() throws Exception {
        transaction.begin();
        orders.pay(() -> "paid");
        assertThatThrownBy(() -> orders.payApart(() -> {
            Watched.beforeTheCommit(() -> locks.forceRelease("order"));
            return "paid";
        })).isInstanceOf(LockLostException.class);
        assertThatThrownBy(transaction::commit).isInstanceOf(RollbackException.class);
    }

    /** The first request's transaction continues without a thread, and its worker serves the next request. */
    @Test
    void fault409_nextRequestOnSameWorkerWaitsForLock() throws Exception {
        ExecutorService workers = Executors.newSingleThreadExecutor();
        try {
            Thread worker = workers.submit(Thread::currentThread).get();
            CompletableFuture<String> rest = new CompletableFuture<>();
            CompletionStage<String> first = workers.submit(() -> inRequest(() -> outer
                    .later(() -> orders.pay(() -> "paid"), Uni.createFrom().completionStage(rest))
                    .subscribeAsCompletionStage())).get();
            Future<String> second = workers.submit(() -> inRequest(() -> orders.pay(() -> "next")));
            long begin = System.nanoTime();
            while (!second.isDone() && worker.getState() != Thread.State.TIMED_WAITING) {
                assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.MINUTES.toNanos(1));
                Thread.onSpinWait();
            }
            assertThat(second).as("it waits").isNotDone();
            rest.complete("done");
            assertThat(first.toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo("next");
        } finally {
            workers.shutdownNow();
        }
    }

    /** On the current thread, with a Vert.x context of its own, as each request has. */
    private <T> T inRequest(Callable<T> request) throws Exception {
        var context = (ContextInternal) VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());
        ContextInternal before = context.beginDispatch();
        try {
            return request.call();
        } finally {
            context.endDispatch(before);
        }
    }

    private void assertFree() {
        // waits, as the reaper may be just about to release it
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    @ApplicationScoped
    public static class Outer {

        @Transactional
        <T> T inTransaction(Callable<T> body) throws Exception {
            return body.call();
        }

        @Transactional
        Uni<String> later(Callable<?> now, Uni<String> rest) throws Exception {
            now.call();
            return rest;
        }

        @Transactional(TxType.REQUIRES_NEW)
        <T> T inNewTransaction(Callable<T> body) throws Exception {
            return body.call();
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        <T> T pay(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        Uni<String> payLater() {
            return Uni.createFrom().item("later");
        }

        @Locked("order")
        <T> Uni<T> payInAUni(Callable<T> body) throws Exception {
            return Uni.createFrom().item(body.call());
        }

        @Locked("order")
        <T> Multi<T> payInAMulti(Callable<T> body) throws Exception {
            return Multi.createFrom().item(body.call());
        }

        @Locked("order")
        Multi<String> payEach() {
            return Multi.createFrom().items("one", "two");
        }

        @Locked("order")
        @Transactional
        <T> T payInTransaction(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        @Transactional(TxType.REQUIRES_NEW)
        <T> T payApart(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked("order")
        CompletionStage<String> payInAStage() {
            return CompletableFuture.completedFuture("never");
        }

        @Locked(value = "order", release = Release.ON_RETURN)
        <T> T payBriefly(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", release = Release.ON_RETURN)
        @Transactional
        <T> T payBrieflyInTransaction(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", release = Release.ON_RETURN)
        @Transactional
        @Loses(Loses.When.AFTER_BODY)
        <T> T payBrieflyAndLose(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked(value = "order", release = Release.ON_RETURN)
        @Transactional
        <T> Uni<T> payBrieflyLater(Supplier<T> body) {
            return Uni.createFrom().item(body);
        }
    }
}
