package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/** First come, first served; and a wait ends when it should. */
public abstract class WaitingContract extends ContractTest {

    @Test
    @Rule(8)
    void isFairWithinOneJvm() throws Exception {
        Jvm a = jvm();
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Integer> expected = new ArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        LockHandle first = a.lock(name()).acquire();
        for (int i = 0; i < 8; i++) {
            int me = i;
            expected.add(i);
            AtomicReference<Thread> waiter = new AtomicReference<>();
            all.add(start(() -> {
                waiter.set(Thread.currentThread());
                try (LockHandle hold = a.lock(name()).acquire()) {
                    order.add(me);
                }
                return null;
            }));
            awaitParked(waiter);
        }
        first.close();
        for (var one : all) {
            get(one);
        }
        assertThat(order).isEqualTo(expected);
    }

    /** A thread parks once its request is in line, with the lock as its blocker. */
    private void awaitParked(AtomicReference<Thread> thread) {
        Await.until("its request is in line", SOON, () -> thread.get() != null && waitsForIt(thread.get()));
    }

    private boolean waitsForIt(Thread thread) {
        return String.valueOf(LockSupport.getBlocker(thread)).contains(name());
    }

    @Test
    @Rule(8)
    @Needs(Ability.QUEUE)
    void isFairBetweenJvms() throws Exception {
        Jvm holder = jvm();
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        LockHandle first = holder.lock(name()).acquire();
        for (int i = 0; i < 5; i++) {
            int me = i;
            Jvm waiter = jvm();
            all.add(start(() -> {
                try (LockHandle hold = waiter.lock(name()).acquire()) {
                    order.add(me);
                }
                return null;
            }));
            awaitWaiters(holder, name(), i + 1);
        }
        first.close();
        for (var one : all) {
            get(one);
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    @Rule(8)
    @Needs(Ability.QUEUE)
    void busyJvmDoesNotStarveOthers() throws Exception {
        Jvm greedy = jvm();
        Jvm modest = jvm();
        var enough = new AtomicBoolean();
        List<CompletableFuture<Void>> hammering = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            hammering.add(start(() -> {
                while (!enough.get()) {
                    greedy.lock(name()).acquire().close();
                }
                return null;
            }));
        }
        Duration best = SOON;
        try {
            for (int i = 0; i < times(10, 3); i++) {
                long start = System.nanoTime();
                modest.lock(name()).acquire().close();
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                assertThat(took).isLessThan(Duration.ofSeconds(8));
                best = took.compareTo(best) < 0 ? took : best;
            }
        } finally {
            enough.set(true);
        }
        for (var one : hammering) {
            get(one);
        }
        assertThat(best).as("the quickest round, as even a busy machine has quiet moments")
                .isLessThan(Duration.ofMillis(1_500));
    }

    @Test
    @Rule(8)
    @Needs(Ability.QUEUE)
    void handOffBetweenJvmsIsPrompt() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        long promptly = Duration.ofMillis(200).toNanos();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 10 && best >= promptly; i++) { // even a busy machine has quiet moments
            LockHandle hold = a.lock(name()).acquire();
            var next = start(() -> {
                LockHandle taken = b.lock(name()).acquire();
                return new Object[] { taken, System.nanoTime() };
            });
            awaitWaiters(a, name(), 1);
            long released = System.nanoTime();
            hold.close();
            Object[] taken = get(next);
            best = Math.min(best, (Long) taken[1] - released);
            ((LockHandle) taken[0]).close();
        }
        assertThat(best).as("ns").isLessThan(promptly);
    }

    @Test
    @Rule(8)
    void waitTimeoutIsRespected() {
        Jvm a = jvm();
        Jvm b = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            for (Jvm jvm : List.of(a, b)) {
                long start = System.nanoTime();
                assertThat(jvm.lock(name()).tryAcquire(ANSWERED)).isEmpty();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(ANSWERED, Duration.ofSeconds(8));
                assertThatThrownBy(() -> jvm.locks().lock(name(), LockOptions.DEFAULTS.withWaitFor(ANSWERED)).acquire())
                        .isInstanceOf(LockBusyException.class);
            }
            assertHeld(hold);
        }
    }

    @Test
    @Rule(8)
    void interruptEndsTheWait() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var thread = new CompletableFuture<Thread>();
        var outcome = start(() -> {
            thread.complete(Thread.currentThread());
            try {
                b.lock(name()).acquire();
                return "granted";
            } catch (LockInterruptedException e) {
                return e.lockName() + " " + Thread.interrupted();
            }
        });
        awaitWaiters(a, name(), 1);
        thread.join().interrupt();
        assertThat(get(outcome)).isEqualTo(name() + " true");
        hold.close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    @Fault(121)
    void fault121_interruptedCallerDoesNotGetFreeLock() throws Exception {
        Jvm a = jvm();
        a.lock(name()).acquire().close();
        get(start(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> a.lock(name()).acquire()).isInstanceOf(LockInterruptedException.class);
            assertThatThrownBy(() -> a.lock(name()).tryAcquire(Duration.ZERO)).isInstanceOf(LockInterruptedException.class);
            assertThatThrownBy(() -> a.lock(name()).call(() -> "never")).isInstanceOf(LockInterruptedException.class);
            assertThatThrownBy(() -> a.locks().all(name(), name() + "-other").acquire())
                    .isInstanceOf(LockInterruptedException.class);
            assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
            return null;
        }));
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void asyncWaitBlocksNoThread() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add((i % 2 == 0 ? a : b).lock(name()).acquireAsync().subscribeAsCompletionStage());
        }
        Await.during("no thread waits for it", Duration.ofMillis(200),
                () -> Thread.getAllStackTraces().keySet().stream().noneMatch(this::waitsForIt));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        hold.close();
        for (int i = 0; i < 20; i++) {
            CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)).get(15, TimeUnit.SECONDS);
            var granted = waiting.stream().filter(CompletableFuture::isDone).toList();
            assertThat(granted).hasSize(1);
            waiting.removeAll(granted);
            get(granted.get(0)).release().await().atMost(SOON);
        }
    }

    @Test
    @Rule(8)
    @Fault(130)
    void fault130_asyncAttemptAnswersLikeBlockingOne() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        var impatient = b.locks().lock(name(), LockOptions.DEFAULTS.withWaitFor(ANSWERED));
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(get(b.lock(name()).tryAcquireAsync(Duration.ZERO).subscribeAsCompletionStage())).isEmpty();
            assertThat(get(b.lock(name()).tryAcquireAsync(ANSWERED).subscribeAsCompletionStage())).isEmpty();
            assertThatThrownBy(() -> get(impatient.acquireAsync().subscribeAsCompletionStage()))
                    .isInstanceOf(LockBusyException.class);
            assertHeld(hold);
        }
        assertThat(get(b.lock(name()).tryAcquireAsync(SOON).subscribeAsCompletionStage())).hasValueSatisfying(hold -> {
            assertHeld(hold);
            hold.close();
        });
    }

    @Test
    @Rule(8)
    void acquireAsyncIsLazyAndRepeatable() throws Exception {
        Jvm a = jvm();
        Uni<LockHandle> later = a.lock(name()).acquireAsync();
        jvm().lock(name()).tryAcquire(Duration.ZERO).orElseThrow().close();
        LockHandle one = get(later.subscribeAsCompletionStage());
        one.close();
        LockHandle two = get(later.subscribeAsCompletionStage());
        assertThat(two.fencingToken()).isGreaterThan(one.fencingToken());
        two.close();
    }

    @Test
    @Rule(8)
    void asyncBodyRunsInTheSubscribersContext() throws Exception {
        var here = new AtomicReference<Thread>();
        Executor context = task -> threads().execute(() -> {
            here.compareAndSet(null, Thread.currentThread()); // the result also returns through here
            task.run();
        });
        Jvm a = jvm("context", builder -> builder.threads(callers(context, false)));
        Jvm b = jvm();
        LockHandle hold = b.lock(name()).acquire();
        var ranOn = a.lock(name()).callAsync(() -> Uni.createFrom().item(Thread::currentThread)).subscribeAsCompletionStage();
        awaitWaiters(b, name(), 1);
        hold.close();
        assertThat(get(ranOn)).isSameAs(here.get());
    }

    @Test
    @Rule(8)
    @Fault(61)
    void fault61_blockingIsRejectedWhereForbidden() {
        Jvm a = jvm("event loop", builder -> builder.threads(callers(threads(), true)));
        assertThatThrownBy(() -> a.lock(name()).acquire()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(name());
        assertThatThrownBy(() -> a.lock(name()).tryAcquire(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> a.lock(name()).call(() -> "never")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> a.locks().inspect(name())).isInstanceOf(IllegalStateException.class);
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).hasValueSatisfying(LockHandle::close);
    }

    private static CallerThreads callers(Executor here, boolean forbidden) {
        return new CallerThreads() {
            @Override
            public boolean blockingForbidden() {
                return forbidden;
            }

            @Override
            public Executor here() {
                return here;
            }

            @Override
            public Executor workers() {
                return here;
            }

            @Override
            public boolean workersNeverRunOut() {
                return true; // it creates as many as it needs
            }
        };
    }

    @Test
    @Rule({ 8, 9 })
    @Fault(2)
    void fault02_deadHolderKeepsLockOnlyForItsLease() throws Exception {
        FaultyBackend faulty = faulty();
        Jvm dead = jvmOver(faulty);
        Jvm b = jvm();
        dead.lock(name(), SHORT_LEASE).acquire();
        faulty.cut(); // from now on it cannot reach the store, as if it had been killed
        long start = System.nanoTime();
        b.lock(name()).acquire().close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    @Rule({ 8, 14 })
    @Needs(Ability.PAUSE_STORE)
    @Fault(37)
    @ResourceLock(SERVER)
    void fault37_hangingStoreEndsWaitInTime() {
        Jvm a = jvm();
        a.lock(name()).acquire().close();
        environment().pauseStore();
        long start = System.nanoTime();
        try {
            assertThatThrownBy(() -> a.lock(name()).tryAcquire(Duration.ofMillis(500)))
                    .isInstanceOf(io.quarkiverse.lock.LockBackendException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        } finally {
            environment().resumeStore();
        }
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule({ 8, 14 })
    @Needs(Ability.CUT)
    @Fault(120)
    void fault120_shortWaitOverCutLinkIsNotReportedBusy() {
        Link.Linked linked = environment().linked("cut off");
        Jvm a = jvmOver(linked.backend());
        a.lock(name()).acquire().close();
        linked.link().cut();
        for (int millis : new int[] { 20, 100, 400 }) {
            assertThatThrownBy(() -> a.lock(name()).tryAcquire(Duration.ofMillis(millis))).as("after %d ms", millis)
                    .isInstanceOf(io.quarkiverse.lock.LockBackendException.class);
        }
        linked.link().heal();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule({ 8, 14 })
    @Needs(Ability.CUT)
    @Fault(120)
    void fault120_localHoldIsReportedBusyWithoutTheStore() {
        Link.Linked linked = environment().linked("cut off");
        Jvm a = jvmOver(linked.backend());
        LockHandle hold = a.lock(name(), Duration.ofSeconds(30)).acquire();
        linked.link().cut();
        assertThat(a.lock(name()).tryAcquire(Duration.ofMillis(20))).isEmpty();
        assertThat(a.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertHeld(hold);
        linked.link().heal();
        hold.close();
        assertBecomesFree(a, name(), SOON);
    }
}
