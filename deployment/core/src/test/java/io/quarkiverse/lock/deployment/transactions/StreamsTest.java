package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.MultiEmitter;

/** A {@code Multi} holds its lock from the subscription to its end, whatever the cause; its own transaction ends first. */
class StreamsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    private static final Duration SOON = Duration.ofSeconds(10);

    @Inject
    Orders orders;

    @Inject
    TransactionManager manager;

    @Inject
    LockManager locks;

    private Running running;

    @BeforeEach
    void nothingRuns() {
        running = new Running(); // all tests share one instance of this class
    }

    @AfterEach
    void nothingIsLeft() {
        try (LockHandle both = locks.all("order", "invoice").acquire()) {
            assertThat(both.isValid()).isTrue();
        }
    }

    @Test
    void lockIsHeldFromSubscriptionToCompletion() throws Exception {
        Multi<String> items = orders.list(running);
        assertThat(held("order")).as("not subscribed yet").isFalse();
        AssertSubscriber<String> subscriber = items.subscribe().withSubscriber(AssertSubscriber.create(10));
        MultiEmitter<? super String> emitter = running.emitter();
        emitter.emit("a").emit("b");
        subscriber.awaitItems(2, SOON);
        assertThat(held("order")).isTrue();
        emitter.complete();
        subscriber.awaitCompletion(SOON).assertItems("a", "b");
        assertThat(held("order")).as("released before completion is signalled").isFalse();
    }

    @Test
    void demandDuringWaitIsKept() {
        LockHandle hold = locks.lock("order").acquire();
        AssertSubscriber<String> subscriber = orders.list(() -> Multi.createFrom().items("a", "b", "c"))
                .subscribe().withSubscriber(AssertSubscriber.create(2));
        subscriber.assertHasNotReceivedAnyItem();
        hold.close();
        subscriber.awaitItems(2, SOON).assertNotTerminated().assertItems("a", "b");
        assertThat(held("order")).isTrue();
        subscriber.request(5);
        subscriber.awaitCompletion(SOON).assertItems("a", "b", "c");
    }

    @Test
    void eachSubscriptionAcquiresTheLockAgain() {
        AtomicInteger calls = new AtomicInteger();
        Multi<Integer> items = orders.numbers(() -> {
            assertThat(held("order")).isTrue();
            return Multi.createFrom().items(calls.incrementAndGet());
        });
        assertThat(collect(items)).containsExactly(1);
        assertThat(collect(items)).containsExactly(2);
    }

    @Test
    void nullReturnLeavesNoTransaction() throws Exception {
        orders.noItems().subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure(SOON)
                .assertFailedWith(NullPointerException.class, "'order'");
        assertThat(manager.getTransaction()).isNull();
        assertThatThrownBy(() -> orders.noItem().await().atMost(SOON)).isInstanceOf(NullPointerException.class)
                .hasMessageContaining("'order'");
        assertThat(manager.getTransaction()).isNull();
    }

    @Test
    void bodyFailureReachesSubscriber() {
        AssertSubscriber<String> subscriber = orders
                .list(() -> Multi.createFrom().failure(new IllegalStateException("on purpose")))
                .subscribe().withSubscriber(AssertSubscriber.create(1));
        subscriber.awaitFailure(SOON).assertFailedWith(IllegalStateException.class, "on purpose");
        assertThat(held("order")).isFalse();
        AssertSubscriber<String> thrown = orders.list(() -> {
            throw new IllegalStateException("at once");
        }).subscribe().withSubscriber(AssertSubscriber.create(1));
        thrown.awaitFailure(SOON).assertFailedWith(IllegalStateException.class, "at once");
    }

    @Test
    void cancellationReleasesTheLock() throws Exception {
        AssertSubscriber<String> subscriber = orders.list(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        running.emitter().emit("a");
        subscriber.awaitItems(1, SOON);
        subscriber.cancel();
        assertThat(held("order")).isFalse();
        assertThat(running.cancelled).as("the body was cancelled").isDone();
        assertThat(collect(orders.list(() -> Multi.createFrom().items("a", "b", "c")).select().first(2)))
                .containsExactly("a", "b");
    }

    @Test
    void cancelledWaiterLeavesTheQueue() {
        LockHandle hold = locks.lock("order").acquire();
        AssertSubscriber<String> subscriber = orders.list(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        subscriber.cancel();
        assertThat(locks.inspect("order").orElseThrow().waiters()).isZero();
        hold.close();
        assertThat(running.watched).as("the body was not created").isNotDone();
    }

    @Test
    void lossFailsStreamAtOnce() throws Exception {
        AssertSubscriber<String> subscriber = orders.list(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        running.emitter().emit("a");
        subscriber.awaitItems(1, SOON);
        locks.forceRelease("order");
        subscriber.awaitFailure(SOON).assertFailedWith(LockLostException.class, "'order'");
        assertThat(get(running.cancelled)).isTrue();
        running.emitter().emit("b");
        subscriber.assertItems("a");
    }

    @Test
    void lossEndsBodyThatNeverPauses() throws Exception {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        Multi<Long> endless = orders.count(() -> Multi.createBy().repeating().supplier(() -> 1L).indefinitely()
                .onItem().invoke(() -> {
                    if (!lost.isDone()) {
                        locks.forceRelease("order");
                        lost.complete(null);
                    }
                }));
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread thread = new Thread(() -> endless.subscribe().with(item -> {
        }, failure::complete));
        thread.setDaemon(true);
        thread.start();
        assertThat(get(failure)).isInstanceOf(LockLostException.class);
        thread.join(SOON.toMillis());
        assertThat(thread.isAlive()).as("it still runs").isFalse();
    }

    @Test
    void notifyContinuesAfterLoss() throws Exception {
        AssertSubscriber<String> subscriber = orders.goOn(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        MultiEmitter<? super String> emitter = running.emitter();
        locks.forceRelease("order");
        emitter.emit("a").complete();
        subscriber.awaitCompletion(SOON).assertItems("a");
        assertThat(running.watched().end().committed()).isTrue();
    }

    @Test
    void busyStreamFailsSkipsOrFallsBack() {
        try (LockHandle hold = locks.lock("order").acquire()) {
            orders.now(running).subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure(SOON)
                    .assertFailedWith(LockBusyException.class, "'order'");
            assertThat(collect(orders.skip(running))).isEmpty();
            assertThat(collect(orders.orElse(running))).containsExactly("instead of 'order'");
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(running.watched).isNotDone();
        assertThat(collect(orders.orElse(() -> Multi.createFrom().items("a")))).containsExactly("a");
    }

    @Test
    void nestedStreamsReenterTheLock() {
        List<String> items = collect(orders.list(() -> Multi.createFrom().items("a", "b")
                .onItem().transformToUniAndConcatenate(item -> orders.one(item))
                .onItem().transformToMultiAndConcatenate(item -> orders.list(() -> Multi.createFrom().items(item, item)))));
        assertThat(items).containsExactly("a!", "a!", "b!", "b!");
    }

    @Test
    void currentLockHasTokenInsideStream() {
        assertThat(collect(orders.tokens())).allSatisfy(token -> assertThat(token).isPositive()).hasSize(2);
    }

    @Test
    void streamHoldsAllItsLocks() throws Exception {
        AssertSubscriber<String> subscriber = orders.both(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        MultiEmitter<? super String> emitter = running.emitter();
        assertThat(held("order")).isTrue();
        assertThat(held("invoice")).isTrue();
        emitter.emit("a").complete();
        subscriber.awaitCompletion(SOON).assertItems("a");
        assertThat(running.watched().end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        assertThat(held("order")).isFalse();
        assertThat(held("invoice")).isFalse();
    }

    @Test
    void lossOfOneOfSeveralRollsBack() throws Exception {
        AssertSubscriber<String> subscriber = orders.both(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        running.emitter();
        locks.forceRelease("invoice"); // the outer one
        subscriber.awaitFailure(SOON).assertFailedWith(LockLostException.class, "'invoice'");
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void transactionCommitsWhileLockIsHeld() throws Exception {
        AssertSubscriber<String> subscriber = orders.pay(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        running.emitter().emit("a").complete();
        subscriber.awaitCompletion(SOON).assertItems("a");
        assertThat(running.watched().end()).isEqualTo(End.COMMITTED_WHILE_HELD);
    }

    @Test
    void failureRollsBackWhileLockIsHeld() throws Exception {
        AssertSubscriber<String> subscriber = orders.pay(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        running.emitter().fail(new IllegalStateException("on purpose"));
        subscriber.awaitFailure(SOON);
        assertThat(running.watched().end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
    }

    @Test
    void lossRollsBackTransaction() throws Exception {
        AssertSubscriber<String> subscriber = orders.pay(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        running.emitter().emit("a");
        subscriber.awaitItems(1, SOON);
        locks.forceRelease("order");
        subscriber.awaitFailure(SOON).assertFailedWith(LockLostException.class, "'order'");
        assertThat(running.watched().end().committed()).isFalse();
        assertThat(get(running.cancelled)).isTrue();
    }

    @Test
    void lossUnnoticedByBodyRollsBack() throws Exception {
        AssertSubscriber<String> subscriber = orders.pay(() -> {
            running.get();
            locks.forceRelease("order");
            return Multi.createFrom().items("a");
        }).subscribe().withSubscriber(AssertSubscriber.create(10));
        subscriber.awaitFailure(SOON).assertFailedWith(LockLostException.class, "'order'");
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void fault316_lossDuringCommitRollsBack() throws Exception {
        AssertSubscriber<String> subscriber = orders.pay(this::losingAtTheCommit).subscribe()
                .withSubscriber(AssertSubscriber.create(10));
        running.emitter().emit("a").complete();
        subscriber.awaitFailure(SOON).assertItems("a").assertFailedWith(LockLostException.class, "'order'");
        assertThat(running.watched().end().committed()).isFalse();
    }

    @Test
    void fault316_cancelledStreamLostDuringCommitRollsBack() throws Exception {
        AssertSubscriber<String> subscriber = orders.pay(this::losingAtTheCommit).subscribe()
                .withSubscriber(AssertSubscriber.create(10));
        running.emitter().emit("a");
        subscriber.awaitItems(1, SOON);
        subscriber.cancel();
        assertThat(running.watched().end().committed()).isFalse();
    }

    private Multi<String> losingAtTheCommit() {
        Watched.beforeTheCommit(() -> locks.forceRelease("order"));
        return running.get();
    }

    @Test
    void cancellationCommitsWhileLockIsHeld() throws Exception {
        AssertSubscriber<String> subscriber = orders.pay(running).subscribe().withSubscriber(AssertSubscriber.create(10));
        running.emitter().emit("a");
        subscriber.awaitItems(1, SOON);
        subscriber.cancel();
        assertThat(running.watched().end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        assertThat(running.cancelled).isDone();
        assertThat(held("order")).isFalse();
    }

    @Test
    void cancellationAfterLossRollsBack() throws Exception {
        AtomicReference<Cancellable> call = new AtomicReference<>();
        call.set(orders.pay(running).subscribe().with(item -> {
            locks.forceRelease("order");
            call.get().cancel();
        }));
        running.emitter().emit("a");
        assertThat(running.watched().end().committed()).isFalse();
    }

    private static <T> List<T> collect(Multi<T> items) {
        return items.collect().asList().await().atMost(SOON);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    /** A body that emits and ends on demand. */
    static final class Running implements Supplier<Multi<String>> {

        private final CompletableFuture<Watched> watched = new CompletableFuture<>();
        private final CompletableFuture<MultiEmitter<? super String>> emitter = new CompletableFuture<>();
        private final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();

        @Override
        public Multi<String> get() {
            try {
                watched.complete(Watched.transaction("order"));
            } catch (IllegalStateException e) {
                watched.completeExceptionally(e); // none is active
            }
            return Multi.createFrom().<String> emitter(emitter::complete)
                    .onCancellation().invoke(() -> cancelled.complete(true));
        }

        Watched watched() throws Exception {
            return StreamsTest.get(watched);
        }

        MultiEmitter<? super String> emitter() throws Exception {
            return StreamsTest.get(emitter);
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        @Transactional
        Multi<String> noItems() {
            return null;
        }

        @Locked("order")
        @Transactional
        Uni<String> noItem() {
            return null;
        }

        @Inject
        CurrentLock lock;

        @Locked("order")
        Multi<String> list(Supplier<Multi<String>> body) {
            return body.get();
        }

        @Locked("order")
        Multi<Integer> numbers(Supplier<Multi<Integer>> body) {
            return body.get();
        }

        @Locked("order")
        Multi<Long> count(Supplier<Multi<Long>> body) {
            return body.get();
        }

        @Locked("order")
        Uni<String> one(String item) {
            return Uni.createFrom().item(item + "!");
        }

        @Locked("order")
        Multi<Long> tokens() {
            return Multi.createFrom().items(1, 2)
                    .onItem().transformToUniAndConcatenate(item -> lock.fencingTokenAsync());
        }

        @Locked("order")
        @Transactional
        Multi<String> pay(Supplier<Multi<String>> body) {
            return body.get();
        }

        @Locked({ "order", "invoice" })
        @Transactional
        Multi<String> both(Supplier<Multi<String>> body) {
            return body.get();
        }

        @Locked(value = "order", onLost = OnLost.NOTIFY)
        @Transactional
        Multi<String> goOn(Supplier<Multi<String>> body) {
            return body.get();
        }

        @Locked(value = "order", waitFor = "0")
        Multi<String> now(Supplier<Multi<String>> body) {
            return body.get();
        }

        @Locked(value = "order", waitFor = "0", onBusy = OnBusy.SKIP)
        Multi<String> skip(Supplier<Multi<String>> body) {
            return body.get();
        }

        @Locked(value = "order", waitFor = "0", onBusy = OnBusy.FALLBACK, fallbackMethod = "busy")
        Multi<String> orElse(Supplier<Multi<String>> body) {
            return body.get();
        }

        Multi<String> busy(Supplier<Multi<String>> body, LockBusyException busy) {
            return Multi.createFrom().items("instead of '" + busy.lockName() + "'");
        }
    }
}
