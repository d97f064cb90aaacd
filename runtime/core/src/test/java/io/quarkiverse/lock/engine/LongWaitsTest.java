package io.quarkiverse.lock.engine;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockDeadlockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** If callers wait for each other, exactly one of them fails, and never anyone else. */
class LongWaitsTest {

    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
    private static final LockOptions LONG = LockOptions.DEFAULTS.withWaitFor(Duration.ofDays(1));

    private final VirtualTime time = new VirtualTime();
    private final LongWaits waits = new LongWaits();
    private final LockEngine engine = engine(waits);
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LoggedRecords log = new LoggedRecords(LongWaits.class);

    private LockEngine engine(LongWaits longWaits) {
        return LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
                .threads(CallerThreads.plain(Runnable::run)).longWaits(longWaits).start();
    }

    @AfterEach
    void close() {
        log.close();
        engine.close();
    }

    private NestedCalls nested(String outer, String inner) {
        return new NestedCalls(locks.lock(outer), locks.lock(inner));
    }

    private void millis(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    // --- who fails

    @Test
    void fault186_youngestOfTwoFailsAfterTwoChecks() {
        NestedCalls elder = nested("a", "b");
        NestedCalls younger = nested("b", "a");
        elder.asks();
        millis(1);
        younger.asks();
        millis(399);
        assertThat(elder.waits() && younger.waits()).isTrue();
        millis(1);
        assertThat(younger.outcome.getFailure()).isInstanceOf(LockDeadlockException.class).hasMessage(
                "Lock 'a' was not acquired because of a deadlock: callers wait for each other, and this call fails so that the "
                        + "others can continue: a pipeline holds 'b' and waits for 'a', a pipeline holds 'a' and waits for 'b'. Take "
                        + "the locks in the same order everywhere, or all at once (@Locked with all of the names, LockManager.all)");
        assertThat(elder.outcome.getItem()).isEqualTo("done");
        assertThat(log.warnings()).singleElement().asString().contains("Deadlock: ", "the call of a pipeline failed: ");
        assertThat(waits.size()).isZero();
    }

    @Test
    void fault186_youngestOfThreeFailsWhoeverChecks() {
        NestedCalls first = nested("a", "b");
        NestedCalls second = nested("b", "c");
        NestedCalls third = nested("c", "a");
        third.asks();
        millis(1);
        first.asks();
        millis(1);
        second.asks();
        millis(400);
        assertThat(second.outcome.getFailure()).isInstanceOf(LockDeadlockException.class);
        assertThat(first.outcome.getItem()).isEqualTo("done");
        assertThat(third.outcome.getItem()).isEqualTo("done");
    }

    /** Its wait would have ended soon anyway. */
    @Test
    void fault186_callerWithShortestWaitFails() {
        NestedCalls elder = new NestedCalls(locks.lock("a"),
                locks.lock("b", LockOptions.DEFAULTS.withWaitFor(Duration.ofMillis(500))));
        NestedCalls younger = nested("b", "a");
        elder.asks();
        millis(1);
        younger.asks();
        millis(400);
        assertThat(elder.outcome.getFailure()).isInstanceOf(LockDeadlockException.class);
        assertThat(younger.outcome.getItem()).isEqualTo("done");
    }

    @Test
    void fault186_reentrantHoldStillCountsInCycle() {
        NestedCalls elder = new NestedCalls(locks.lock("a"), locks.lock("b"));
        CompletableFuture<Void> go = new CompletableFuture<>();
        UniAssertSubscriber<String> younger = locks.lock("b").callAsync(() -> locks.lock("b").callAsync(
                () -> Uni.createFrom().completionStage(go)
                        .chain(() -> locks.lock("a").callAsync(() -> Uni.createFrom().item("done")))))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        elder.asks();
        millis(1);
        go.complete(null);
        millis(400);
        assertThat(younger.getFailure()).isInstanceOf(LockDeadlockException.class);
        assertThat(elder.outcome.getItem()).isEqualTo("done");
    }

    @Test
    void deadlockedTimedTryReturnsBusy() {
        NestedCalls elder = nested("a", "b");
        CompletableFuture<Void> go = new CompletableFuture<>();
        UniAssertSubscriber<String> younger = locks.lock("b").callAsync(() -> Uni.createFrom().completionStage(go)
                .chain(() -> locks.lock("a").tryAcquireAsync(Duration.ofSeconds(5))).map(hold -> hold.isEmpty() ? "busy" : "?"))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        elder.asks();
        millis(1);
        go.complete(null);
        millis(400);
        assertThat(younger.getItem()).isEqualTo("busy");
        assertThat(elder.outcome.getItem()).isEqualTo("done");
    }

    @Test
    void partialMultiNameHoldCountsInCycle() {
        firstOf(locks.all("a", "b"));
    }

    /** Its lease does not end before it holds all of the names. */
    @Test
    void fault538_unrenewedPartialHoldCountsInCycle() {
        firstOf(locks.all(LockOptions.DEFAULTS.withRenew(false), "a", "b"));
    }

    private void firstOf(DistributedLock several) {
        NestedCalls elder = nested("b", "a");
        UniAssertSubscriber<LockHandle> both = several.acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        millis(1);
        elder.asks();
        millis(400);
        assertThat(elder.outcome.getFailure()).isInstanceOf(LockDeadlockException.class);
        both.assertCompleted().getItem().close();
    }

    @Test
    void deadlockBetweenEnginesIsBroken() {
        try (LockEngine other = engine(waits)) {
            DistributedLock b = other.manager(ManagerDefaults.STANDARD).lock("b");
            NestedCalls elder = new NestedCalls(locks.lock("a"), b);
            NestedCalls younger = new NestedCalls(b, locks.lock("a"));
            elder.asks();
            millis(1);
            younger.asks();
            millis(400);
            assertThat(younger.outcome.getFailure()).isInstanceOf(LockDeadlockException.class);
            assertThat(elder.outcome.getItem()).isEqualTo("done");
        }
    }

    // --- threads

    /** A thread that holds one lock and requests another on {@code go}. */
    private static Worker worker(String name, Callable<LockHandle> bare, DistributedLock outer, DistributedLock inner) {
        Worker worker = new Worker(name);
        Callable<String> body = () -> "done";
        Callable<String> asks = () -> {
            worker.holds.countDown();
            worker.go.await();
            return inner.call(body);
        };
        worker.start(() -> {
            if (bare == null) {
                return outer.call(asks);
            }
            try (LockHandle handle = bare.call()) {
                return handle.isValid() ? asks.call() : "lost";
            }
        });
        return worker;
    }

    private static final class Worker {

        final String name;
        final CountDownLatch holds = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        FutureTask<String> outcome;
        Thread thread;

        Worker(String name) {
            this.name = name;
        }

        void start(Callable<String> deed) {
            outcome = new FutureTask<>(deed);
            thread = new Thread(outcome, name);
            thread.start();
        }
    }

    private void asks(Worker worker, int parked) throws InterruptedException {
        worker.holds.await();
        worker.go.countDown();
        long end = System.nanoTime() + MINUTES.toNanos(1);
        while (time.parkedThreads() < parked) {
            assertThat(System.nanoTime() - end).as("gave up after a minute").isNegative();
            Thread.onSpinWait();
        }
        millis(1);
    }

    /** Lets time pass until the condition holds. */
    private void until(BooleanSupplier condition) {
        long end = System.nanoTime() + MINUTES.toNanos(1);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("gave up after a minute").isNegative();
            millis(10);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void fault186_deadlockOfScopedThreadsIsBroken() throws Exception {
        Worker elder = worker("elder", null, locks.lock("a", LONG), locks.lock("b", LONG));
        Worker younger = worker("younger", null, locks.lock("b", LONG), locks.lock("a", LONG));
        younger.holds.await();
        asks(elder, 1);
        asks(younger, 2);
        until(younger.outcome::isDone);
        assertThatThrownBy(younger.outcome::get).hasCauseInstanceOf(LockDeadlockException.class)
                .hasMessageContaining("thread elder holds 'a' and waits for 'b'")
                .hasMessageContaining("thread younger holds 'b' and waits for 'a'");
        assertThat(elder.outcome.get(1, MINUTES)).isEqualTo("done");
        assertThat(waits.size()).isZero();
    }

    @Test
    void fault186_deadlockedJavaLockCallFails() throws Exception {
        Worker elder = worker("elder", null, locks.lock("a", LONG), locks.lock("b", LONG.withWaitFor(Duration.ofDays(36_500))));
        Worker younger = new Worker("younger");
        younger.start(() -> locks.lock("b", LONG).call(() -> {
            younger.holds.countDown();
            younger.go.await();
            locks.lock("a").asJavaLock().lock();
            return "locked";
        }));
        younger.holds.await();
        asks(elder, 1);
        asks(younger, 2);
        until(younger.outcome::isDone);
        assertThatThrownBy(younger.outcome::get).hasCauseInstanceOf(LockDeadlockException.class);
        assertThat(elder.outcome.get(1, MINUTES)).isEqualTo("done");
    }

    /** A thread that locks one Java lock, and another on {@code go}, and unlocks both. */
    private Worker locksAsTheJdkDoes(String name, Lock outer, Lock inner) {
        Worker worker = new Worker(name);
        worker.start(() -> {
            outer.lock();
            try {
                worker.holds.countDown();
                worker.go.await();
                inner.lock();
                inner.unlock();
                return "done";
            } finally {
                outer.unlock();
            }
        });
        return worker;
    }

    @Test
    void fault531_javaLockDeadlockIsBroken() throws Exception {
        Worker elder = locksAsTheJdkDoes("elder", locks.lock("a").asJavaLock(), locks.lock("b").asJavaLock());
        Worker younger = locksAsTheJdkDoes("younger", locks.lock("b").asJavaLock(), locks.lock("a").asJavaLock());
        younger.holds.await();
        asks(elder, 1);
        asks(younger, 2);
        until(() -> !log.warnings().isEmpty());
        assertThat(log.warnings()).singleElement().asString().contains("the call of thread younger failed",
                "thread younger holds 'b' and waits for 'a'", "thread elder holds 'a' and waits for 'b'");
        assertThatThrownBy(() -> younger.outcome.get(1, MINUTES)).hasCauseInstanceOf(LockDeadlockException.class);
        assertThat(elder.outcome.get(1, MINUTES)).isEqualTo("done");
        assertThat(waits.size()).isZero();
    }

    @Test
    void fault531_readWriteLockDeadlockIsBroken() throws Exception {
        Worker elder = locksAsTheJdkDoes("elder", locks.lock("a").asReadWriteLock().readLock(),
                locks.all("b", "c").asJavaLock());
        Worker younger = locksAsTheJdkDoes("younger", locks.all("b", "d").asJavaLock(),
                locks.lock("a").asReadWriteLock().writeLock());
        younger.holds.await();
        asks(elder, 1);
        asks(younger, 2);
        until(() -> !log.warnings().isEmpty());
        assertThatThrownBy(() -> younger.outcome.get(1, MINUTES)).hasCauseInstanceOf(LockDeadlockException.class);
        assertThat(elder.outcome.get(1, MINUTES)).isEqualTo("done");
    }

    /** Its wait would end by itself; that of the Java lock never would. */
    @Test
    void fault531_javaLockAndScopeDeadlockIsBroken() throws Exception {
        Worker elder = locksAsTheJdkDoes("elder", locks.lock("a").asJavaLock(), locks.lock("b").asJavaLock());
        Worker younger = worker("younger", null, locks.lock("b", LONG), locks.lock("a", LONG));
        younger.holds.await();
        asks(elder, 1);
        asks(younger, 2);
        until(() -> !log.warnings().isEmpty());
        assertThatThrownBy(() -> younger.outcome.get(1, MINUTES)).hasCauseInstanceOf(LockDeadlockException.class);
        assertThat(elder.outcome.get(1, MINUTES)).isEqualTo("done");
    }

    /** A thread no longer holds a Java lock that it unlocked, and any thread may close its handle. */
    @Test
    void fault531_unlockedJavaLockIsNotCounted() throws Exception {
        Worker elder = new Worker("elder");
        elder.start(() -> {
            Lock a = locks.lock("a").asJavaLock();
            a.lock();
            a.unlock();
            try (LockHandle handle = locks.lock("a").acquire()) {
                elder.holds.countDown();
                elder.go.await();
                locks.lock("b", LONG).acquire().close();
            }
            return "done";
        });
        elder.holds.await();
        Worker younger = locksAsTheJdkDoes("younger", locks.lock("b").asJavaLock(), locks.lock("a").asJavaLock());
        younger.holds.await();
        asks(elder, 1);
        asks(younger, 2);
        until(() -> !log.warnings().isEmpty());
        millis(5_000);
        assertThat(log.warnings()).singleElement().asString().contains("seem to wait for each other");
        assertThat(elder.outcome.isDone() || younger.outcome.isDone()).isFalse();
        elder.thread.interrupt();
        assertThat(younger.outcome.get(1, MINUTES)).isEqualTo("done");
    }

    @Test
    void fault186_openHandleOnlyTriggersAWarning() throws Exception {
        DistributedLock a = locks.lock("a", LONG);
        Worker elder = worker("elder", a::acquire, a, locks.lock("b", LONG));
        Worker younger = worker("younger", null, locks.lock("b", LONG), a);
        younger.holds.await();
        asks(elder, 1);
        asks(younger, 2);
        until(() -> !log.warnings().isEmpty());
        millis(5_000);
        assertThat(log.warnings()).singleElement().asString().contains("seem to wait for each other",
                "thread younger holds 'b' and waits for 'a'", "thread elder holds 'a' and waits for 'b'");
        assertThat(elder.outcome.isDone() || younger.outcome.isDone()).isFalse();
        elder.thread.interrupt();
        assertThat(younger.outcome.get(1, MINUTES)).isEqualTo("done");
        assertThatThrownBy(elder.outcome::get).hasCauseInstanceOf(LockInterruptedException.class);
        assertThat(waits.size()).isZero();
    }

    // --- who does not fail

    @Test
    void fault186_noVictimIfCallerProceedsBetweenChecks() {
        NestedCalls elder = nested("a", "b");
        NestedCalls younger = nested("b", "a");
        elder.asks();
        millis(1);
        younger.asks();
        millis(350);
        elder.outcome.cancel();
        millis(500);
        assertThat(younger.outcome.getItem()).isEqualTo("done");
        assertThat(log.warnings()).isEmpty();
        assertThat(waits.size()).isZero();
    }

    @Test
    void fault186_waiterForWorkingHolderIsNotFailed() {
        NestedCalls working = nested("a", "c");
        NestedCalls waiting = nested("b", "a");
        waiting.asks();
        millis(5_000);
        assertThat(waiting.waits()).isTrue();
        working.asks();
        assertThat(waiting.outcome.getItem()).isEqualTo("done");
        assertThat(log.warnings()).isEmpty();
    }

    /** The last reader may be about to proceed, and it is unknown whether the waiter needs all of them to. */
    @Test
    void fault186_waiterForWorkingReaderIsNotFailed() {
        NestedCalls reader = new NestedCalls(locks.lock("a", SHARED), locks.lock("b"));
        NestedCalls other = new NestedCalls(locks.lock("a", SHARED), locks.lock("c"));
        NestedCalls writer = nested("b", "a");
        reader.asks();
        millis(1);
        writer.asks();
        millis(2_000);
        assertThat(reader.waits() && writer.waits()).isTrue();
        other.asks();
        assertThat(other.outcome.getItem()).isEqualTo("done");
    }

    @Test
    void fault186_waiterBehindTimedWriterIsNotFailed() {
        NestedCalls reader = new NestedCalls(locks.lock("a", SHARED), locks.lock("b"));
        NestedCalls younger = new NestedCalls(locks.lock("b"), locks.lock("a", SHARED));
        UniAssertSubscriber<LockHandle> writer = locks.lock("a", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(1)))
                .acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        reader.asks();
        younger.asks();
        millis(999);
        assertThat(reader.waits() && younger.waits()).isTrue();
        millis(1);
        assertThat(writer.getFailure()).isInstanceOf(LockBusyException.class);
        assertThat(younger.outcome.getItem()).isEqualTo("done");
        assertThat(reader.outcome.getItem()).isEqualTo("done");
    }

    @Test
    void fault186_writerInCycleWithAllReadersFails() {
        NestedCalls reader = new NestedCalls(locks.lock("a", SHARED), locks.lock("b"));
        NestedCalls other = new NestedCalls(locks.lock("a", SHARED), locks.lock("b"));
        NestedCalls writer = nested("b", "a");
        reader.asks();
        other.asks();
        millis(1);
        writer.asks();
        millis(400);
        assertThat(writer.outcome.getFailure()).isInstanceOf(LockDeadlockException.class);
        assertThat(reader.outcome.getItem()).isEqualTo("done");
        assertThat(other.outcome.getItem()).isEqualTo("done");
    }

    @Test
    void fault186_readerWriterCycleIsBrokenInAnyOrder() {
        for (String order : List.of("012", "021", "102", "120", "201", "210")) {
            List<NestedCalls> all = List.of(new NestedCalls(locks.lock("a", SHARED), locks.lock("b")),
                    new NestedCalls(locks.lock("a", SHARED), locks.lock("b")), nested("b", "a"));
            for (char next : order.toCharArray()) {
                all.get(next - '0').asks();
                millis(1);
            }
            millis(1_000);
            assertThat(all).as(order).noneMatch(NestedCalls::waits).anyMatch(each -> each.outcome.getItem() != null)
                    .anyMatch(each -> each.outcome.getFailure() instanceof LockDeadlockException);
        }
    }

    @Test
    void fault186_waiterForUnrenewedLeaseIsNotFailed() {
        NestedCalls elder = new NestedCalls(locks.lock("a",
                LockOptions.DEFAULTS.withLease(Duration.ofSeconds(2)).withRenew(false)), locks.lock("b"));
        NestedCalls younger = nested("b", "a");
        elder.asks();
        millis(1);
        younger.asks();
        millis(1_000);
        assertThat(elder.waits() && younger.waits()).isTrue();
        millis(1_500);
        assertThat(younger.outcome.getItem()).isEqualTo("done");
    }

    @Test
    void fault186_waiterForLimitedLockIsNotFailed() {
        DistributedLock limited = locks.lock("a", LockOptions.DEFAULTS.withLimit(1));
        NestedCalls elder = new NestedCalls(limited, locks.lock("b"));
        NestedCalls younger = new NestedCalls(locks.lock("b"), locks.lock("a"));
        elder.asks();
        millis(1);
        younger.asks();
        millis(2_000);
        assertThat(elder.waits() && younger.waits()).as("another JVM may release a permit").isTrue();
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void fault186_callerWithAnotherBranchIsNotFailed() {
        CompletableFuture<Void> go = new CompletableFuture<>();
        NestedCalls holder = nested("c", "x");
        UniAssertSubscriber<String> either = locks.lock("a").callAsync(() -> Uni.createFrom().completionStage(go)
                .chain(() -> Uni.join().first(locks.lock("b").callAsync(() -> Uni.createFrom().item("b")),
                        locks.lock("c").callAsync(() -> Uni.createFrom().item("c"))).withItem()))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        NestedCalls younger = nested("b", "a");
        go.complete(null);
        millis(1);
        younger.asks();
        millis(2_000);
        assertThat(younger.waits()).isTrue();
        holder.asks();
        assertThat(either.getItem()).isEqualTo("c");
        assertThat(younger.outcome.getItem()).isEqualTo("done");
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void disabledDetectionLeavesDeadlockToTimeouts() {
        try (LockEngine off = engine(null)) {
            LockManager others = off.manager(ManagerDefaults.STANDARD);
            NestedCalls elder = new NestedCalls(others.lock("a"), others.lock("b"));
            NestedCalls younger = new NestedCalls(others.lock("b"), others.lock("a"));
            elder.asks();
            millis(1);
            younger.asks();
            millis(9_998);
            assertThat(elder.waits() && younger.waits()).isTrue();
            millis(1);
            assertThat(elder.outcome.getFailure()).isExactlyInstanceOf(LockBusyException.class);
            assertThat(younger.outcome.getItem()).isEqualTo("done");
        }
    }
}
