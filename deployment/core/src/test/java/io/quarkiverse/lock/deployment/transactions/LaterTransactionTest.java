package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.UniEmitter;

/** A {@code Uni} with its own transaction: however it ends, the transaction ends first, and the lock after it. */
class LaterTransactionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    @Inject
    TransactionSynchronizationRegistry transactions;

    @AfterEach
    void nothingIsLeft() {
        assertFree();
    }

    @Test
    void lockIsHeldUntilAfterCommit() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.pay(running).subscribeAsCompletionStage();
        running.watched();
        assertThat(held("order")).isTrue();
        UniEmitter<? super String> emitter = running.emitter();
        new Thread(() -> emitter.complete("paid")).start();
        assertThat(get(result)).isEqualTo("paid");
        assertThat(running.watched().end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        assertThat(held("order")).isFalse();
    }

    @Test
    void lockIsHeldUntilAfterRollback() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.pay(running).subscribeAsCompletionStage();
        running.emitter().fail(new IllegalStateException("on purpose"));
        assertThatThrownBy(() -> get(result)).hasRootCauseMessage("on purpose");
        assertThat(running.watched().end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
    }

    @Test
    void lossFailsUniAtOnceAndRollsBack() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.pay(running).subscribeAsCompletionStage();
        running.watched();
        locks.forceRelease("order");
        assertLost(result);
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void lossDuringUniCreationRollsBack() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.pay(() -> {
            Uni<String> body = running.get();
            locks.forceRelease("order");
            return body;
        }).subscribeAsCompletionStage();
        assertLost(result);
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void lossUnnoticedByBodyRollsBack() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.pay(() -> {
            running.get();
            locks.forceRelease("order");
            return Uni.createFrom().item("paid");
        }).subscribeAsCompletionStage();
        assertLost(result);
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void fault316_lossInInterposedSynchronizationRollsBack() throws Exception {
        lostAtTheCommit(Watched::beforeTheCommit);
    }

    @Test
    void fault316_lossInNestedSynchronizationRollsBack() throws Exception {
        lostAtTheCommit(loss -> Watched.beforeTheCommit(() -> Watched.beforeTheCommit(loss)));
    }

    private void lostAtTheCommit(Consumer<Runnable> beforeTheCommit) throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.pay(() -> {
            beforeTheCommit.accept(() -> locks.forceRelease("order"));
            return running.get();
        }).subscribeAsCompletionStage();
        running.emitter().complete("paid");
        assertLost(result);
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void fault316_notifyCommitsAfterLossDuringCommit() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.goOn(() -> {
            Watched.beforeTheCommit(() -> locks.forceRelease("order"));
            return running.get();
        }).subscribeAsCompletionStage();
        running.emitter().complete("paid");
        assertThat(get(result)).isEqualTo("paid");
        assertThat(running.watched().end().committed()).isTrue();
    }

    @Test
    void notifyCommitsDespiteLoss() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.goOn(running).subscribeAsCompletionStage();
        running.watched();
        locks.forceRelease("order");
        running.emitter().complete("paid");
        assertThat(get(result)).isEqualTo("paid");
        assertThat(running.watched().end().committed()).isTrue();
    }

    @Test
    void cancelledCallRollsBack() throws Exception {
        Running running = new Running();
        Cancellable call = orders.pay(running).subscribe().with(item -> {
        });
        running.watched();
        call.cancel();
        assertThat(running.watched().end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
        assertThat(running.cancelled).as("the body was cancelled").isDone();
    }

    @Test
    void callCancelledDuringUniCreationRollsBack() throws Exception {
        Running running = new Running();
        AtomicReference<Cancellable> call = new AtomicReference<>();
        CountDownLatch cancelled = new CountDownLatch(1);
        LockHandle first = locks.lock("order").acquire();
        // waits, and is created on a worker when the lock is free
        call.set(orders.pay(() -> {
            Uni<String> body = running.get();
            await(cancelled);
            return body;
        }).subscribe().with(item -> {
        }));
        first.close();
        running.watched();
        call.get().cancel();
        cancelled.countDown();
        assertThat(running.watched().end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
    }

    @Test
    void callCancelledDuringCommitKeepsLockUntilItEnds() throws Exception {
        CountDownLatch committing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Running running = new Running();
        Cancellable call = orders.pay(() -> {
            Watched.beforeTheCommit(() -> {
                committing.countDown();
                await(goOn);
            });
            return running.get();
        }).subscribe().with(item -> {
        });
        UniEmitter<? super String> emitter = running.emitter();
        new Thread(() -> emitter.complete("paid")).start();
        await(committing);
        call.cancel();
        assertThat(held("order")).isTrue();
        goOn.countDown();
        assertThat(running.watched().end()).isEqualTo(End.COMMITTED_WHILE_HELD);
    }

    @Test
    void eachSubscriptionAcquiresItsOwnLock() throws Exception {
        Set<Long> tokens = new HashSet<>();
        Set<Object> keys = new HashSet<>();
        Uni<String> uni = orders.pay(() -> {
            tokens.add(locks.held().get(0).fencingToken());
            keys.add(transactions.getTransactionKey());
            return Uni.createFrom().item("paid");
        });
        assertThat(tokens).isEmpty();
        uni.await().atMost(Duration.ofSeconds(10));
        uni.await().atMost(Duration.ofSeconds(10));
        assertThat(tokens).hasSize(2);
        assertThat(keys).hasSize(2);
    }

    @Test
    void grantFromOtherThreadBeginsTransactionOnWorker() throws Exception {
        LockHandle first = locks.lock("order").acquire();
        AtomicReference<Thread> here = new AtomicReference<>();
        CompletableFuture<String> result = orders.pay(() -> {
            here.set(Thread.currentThread());
            assertThat(BlockingOperationControl.isBlockingAllowed()).isTrue();
            assertThat(transactions.getTransactionStatus()).isEqualTo(Status.STATUS_ACTIVE);
            return Uni.createFrom().item("paid");
        }).subscribeAsCompletionStage();
        Thread releasing = new Thread(first::close);
        releasing.start();
        assertThat(get(result)).isEqualTo("paid");
        assertThat(here.get()).isNotSameAs(releasing);
    }

    @Test
    void nestedCallsReenterTheLock() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Uni<String> nested = orders.payWithoutTransaction(() -> Uni.createFrom().item("nested " + runs.incrementAndGet()));
        assertThat(orders.pay(() -> nested).await().atMost(Duration.ofSeconds(20))).isEqualTo("nested 1");
        assertThat(orders.pay(() -> Uni.createFrom().nullItem().chain(() -> nested)).await().atMost(Duration.ofSeconds(20)))
                .isEqualTo("nested 2");
        assertThat(orders.payWithoutTransaction(() -> orders.pay(() -> nested)).await().atMost(Duration.ofSeconds(20)))
                .isEqualTo("nested 3");
    }

    @Test
    void lossRollsBackInsideOuterPipelineOfSameLock() throws Exception {
        Running running = new Running();
        CompletableFuture<String> result = orders.payWithoutTransaction(() -> orders.pay(running)).subscribeAsCompletionStage();
        running.watched();
        locks.forceRelease("order");
        assertLost(result);
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void cancelledOuterPipelineRollsBack() throws Exception {
        Running running = new Running();
        Cancellable call = orders.payWithoutTransaction(() -> orders.pay(running)).subscribe().with(item -> {
        });
        running.watched();
        call.cancel();
        assertThat(running.watched().end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
    }

    @Test
    void busyUniSkipsItsBody() {
        Running running = new Running();
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(orders.skip(running).await().atMost(Duration.ofSeconds(10))).isNull();
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(running.watched).isNotDone();
    }

    private static void assertLost(CompletableFuture<?> result) {
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(LockLostException.class).cause()
                .hasMessageContaining("'order'");
    }

    private void assertFree() {
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A body that ends on demand. */
    static final class Running implements Supplier<Uni<String>> {

        private final CompletableFuture<Watched> watched = new CompletableFuture<>();
        private final CompletableFuture<UniEmitter<? super String>> emitter = new CompletableFuture<>();
        private final CompletableFuture<Void> cancelled = new CompletableFuture<>();

        @Override
        public Uni<String> get() {
            watched.complete(Watched.transaction("order"));
            return Uni.createFrom().<String> emitter(emitter::complete)
                    .onCancellation().invoke(() -> cancelled.complete(null));
        }

        Watched watched() throws Exception {
            return LaterTransactionTest.get(watched);
        }

        UniEmitter<? super String> emitter() throws Exception {
            return LaterTransactionTest.get(emitter);
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        @Transactional
        Uni<String> pay(Supplier<Uni<String>> body) {
            return body.get();
        }

        @Locked("order")
        Uni<String> payWithoutTransaction(Supplier<Uni<String>> body) {
            return body.get();
        }

        @Locked(value = "order", onLost = OnLost.NOTIFY)
        @Transactional
        Uni<String> goOn(Supplier<Uni<String>> body) {
            return body.get();
        }

        @Locked(value = "order", waitFor = "0", onBusy = OnBusy.SKIP)
        @Transactional
        Uni<String> skip(Supplier<Uni<String>> body) {
            return body.get();
        }
    }
}
