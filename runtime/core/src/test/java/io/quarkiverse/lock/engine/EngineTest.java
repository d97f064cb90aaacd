package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.Spin;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** The engine in virtual time: nothing sleeps here. */
class EngineTest {

    static final Duration LEASE = Duration.ofSeconds(30);

    final VirtualTime time = new VirtualTime();
    final LocalStore store = new LocalStore(time);
    final LockEngine one = engine();
    final LockEngine two = engine();
    final LockManager locks = one.manager(ManagerDefaults.STANDARD);
    final LockManager elsewhere = two.manager(ManagerDefaults.STANDARD);

    LockEngine engine() {
        return LockEngine.builder(new LocalBackend(store, "test")).time(time).threads(CallerThreads.plain(Runnable::run))
                .start();
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    @Test
    void handleIsValidUntilReleased() {
        LockHandle hold = locks.lock("a").acquire();
        assertThat(hold.isValid()).isTrue();
        assertThat(hold.validFor()).isEqualTo(Duration.ofSeconds(28));
        hold.close();
        assertThat(hold.isValid()).isFalse();
        assertThat(locks.held()).isEmpty();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void heldLockIsBusyHereAndElsewhere() {
        LockHandle hold = locks.lock("a").acquire();
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        assertThatThrownBy(() -> elsewhere.lock("a", LockOptions.DEFAULTS.withWaitFor(Duration.ZERO)).acquire())
                .isInstanceOf(LockBusyException.class).hasMessageContaining("'a'").hasMessageContaining("test");
        hold.close(); // keeps the handle reachable until here
    }

    @Test
    void leaseIsRenewedWhileHeld() {
        LockHandle hold = locks.lock("a").acquire();
        for (int i = 0; i < 20; i++) {
            time.advance(LEASE.dividedBy(3));
            assertThat(hold.isValid()).isTrue();
        }
        hold.close();
        time.advance(LEASE);
        assertThat(time.timers()).isZero();
    }

    @Test
    void unrenewedHoldIsLostBeforeTheNextGrant() {
        AtomicInteger told = new AtomicInteger();
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withRenew(false)).acquire();
        hold.onLost(told::incrementAndGet);
        UniAssertSubscriber<LockHandle> next = elsewhere.lock("a", LockOptions.DEFAULTS.withWaitFor(LEASE.multipliedBy(2)))
                .acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        time.advance(Duration.ofSeconds(28).minusMillis(1));
        assertThat(hold.isValid()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(hold.isValid()).isFalse();
        assertThat(told).hasValue(1);
        next.assertNotTerminated();
        time.advance(Duration.ofSeconds(2));
        assertThat(next.getItem().fencingToken()).isGreaterThan(hold.fencingToken());
        hold.close();
        assertThat(next.getItem().isValid()).isTrue();
        assertThat(told).hasValue(1);
    }

    @Test
    void maxHoldEndsRenewal() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withMaxHold(Duration.ofSeconds(60))).acquire();
        time.advance(Duration.ofSeconds(60));
        assertThat(hold.isValid()).isTrue();
        time.advance(Duration.ofSeconds(40));
        assertThat(hold.isValid()).isFalse();
    }

    @Test
    void fault424_maxHoldEndsBeforeTheFirstRenewal() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withMaxHold(Duration.ofSeconds(5))).acquire();
        time.advance(Duration.ofSeconds(27));
        assertThat(hold.isValid()).as("its lease").isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(hold.isValid()).as("renewed after 10 s").isFalse();
    }

    @Test
    void fault424_maxHoldEndsBetweenTwoRenewals() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withMaxHold(Duration.ofSeconds(15))).acquire();
        time.advance(Duration.ofSeconds(37));
        assertThat(hold.isValid()).as("renewed after 10 s").isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(hold.isValid()).as("renewed after 20 s").isFalse();
    }

    @Test
    void fault424_waitDoesNotCountTowardsMaxHold() {
        LockHandle first = locks.lock("a").acquire();
        var waiting = locks.lock("a", LockOptions.DEFAULTS.withMaxHold(Duration.ofSeconds(15)).withWaitFor(Duration.ofHours(1)))
                .acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        time.advance(Duration.ofMinutes(1));
        first.close();
        time.advance(Duration.ofSeconds(37));
        assertThat(waiting.getItem().isValid()).isTrue();
    }

    @Test
    void localWaitersAreServedInOrderByHandOff() {
        List<Integer> order = new ArrayList<>();
        List<Long> tokens = new ArrayList<>();
        List<LockHandle> handles = new ArrayList<>();
        LockHandle first = locks.lock("a").acquire();
        for (int i = 0; i < 5; i++) {
            int index = i;
            locks.lock("a").acquireAsync().subscribe().with(handle -> {
                order.add(index);
                tokens.add(handle.fencingToken());
                handles.add(handle);
            });
        }
        first.close();
        for (int i = 0; i < 5; i++) {
            handles.get(i).close();
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
        assertThat(tokens).containsExactly(first.fencingToken() + 1, first.fencingToken() + 2, first.fencingToken() + 3,
                first.fencingToken() + 4, first.fencingToken() + 5);
    }

    @Test
    void handOffsEndSoonWhileAnotherJvmWaits() {
        LockHandle first = locks.lock("a").acquire();
        List<String> order = new CopyOnWriteArrayList<>();
        List<LockHandle> handles = new CopyOnWriteArrayList<>();
        elsewhere.lock("a").acquireAsync().subscribe().with(handle -> {
            order.add("elsewhere");
            handles.add(handle);
        });
        locks.lock("a").acquireAsync().subscribe().with(handle -> {
            order.add("here");
            handles.add(handle);
        });
        time.advance(Duration.ofMillis(6));
        first.close();
        assertThat(order).containsExactly("elsewhere");
        handles.get(0).close();
        assertThat(order).containsExactly("elsewhere", "here");
    }

    @Test
    void expiredWaitLeavesNothingBehind() {
        LockHandle hold = locks.lock("a").acquire();
        int timers = time.timers();
        UniAssertSubscriber<LockHandle> waiting = elsewhere.lock("a").acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        time.advance(Duration.ofSeconds(10));
        assertThat(waiting.getFailure()).isInstanceOf(LockBusyException.class);
        assertThat(time.timers()).isEqualTo(timers);
        assertThat(locks.inspect("a").orElseThrow().waiters()).isZero();
        hold.close();
        assertThat(locks.inspect("a")).isEmpty();
    }

    @Test
    void blockingWaitEndsAtItsDeadline() {
        LockHandle held = locks.lock("a").acquire();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                locks.lock("a").acquire();
                failure.complete(null);
            } catch (Throwable e) {
                failure.complete(e);
            }
        });
        waiter.start();
        Spin.until("it waits", () -> time.parkedThreads() > 0);
        assertThat(failure).isNotDone();
        Spin.until("it gives up", () -> {
            time.advance(Duration.ofSeconds(10)); // the waiter may have looked at the clock before it parked
            Thread.yield();
            return failure.isDone();
        });
        assertThat(failure.join()).isInstanceOf(LockBusyException.class);
        held.close();
    }

    @Test
    void callsNestOnTheSameThread() throws Exception {
        long token = locks.lock("a").call(() -> locks.lock("a").call(() -> {
            try (LockHandle nested = locks.lock("a").acquire()) {
                return nested.fencingToken();
            }
        }));
        assertThat(token).isPositive();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void nestedHandleKeepsTheLockBeyondItsScope() throws Exception {
        LockHandle nested = locks.lock("a").call(() -> locks.lock("a").acquire());
        assertThat(nested.isValid()).isTrue();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        nested.close();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void openHandleIsNotReentrant() {
        locks.lock("a").acquire();
        assertThatThrownBy(() -> locks.lock("a", LockOptions.DEFAULTS.withWaitFor(Duration.ZERO)).acquire())
                .isInstanceOf(LockBusyException.class).hasMessageContaining("this same thread");
    }

    @Test
    void pipelinesNestButSiblingsDoNot() {
        AtomicBoolean siblingRan = new AtomicBoolean();
        CompletableFuture<String> gate = new CompletableFuture<>();
        UniAssertSubscriber<String> outer = locks.lock("a")
                .callAsync(() -> locks.lock("a").callAsync(() -> Uni.createFrom().completionStage(gate)))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        locks.lock("a").callAsync(() -> {
            siblingRan.set(true);
            return Uni.createFrom().voidItem();
        }).subscribe().with(x -> {
        });
        assertThat(siblingRan).isFalse();
        gate.complete("done");
        outer.assertCompleted().assertItem("done");
        assertThat(siblingRan).isTrue();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void pipelineFailsAtOnceWhenItsLockIsLost() {
        UniAssertSubscriber<Object> subscriber = locks.lock("a").callAsync(() -> Uni.createFrom().nothing())
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        locks.forceRelease("a");
        assertThat(subscriber.getFailure()).isInstanceOf(LockLostException.class).hasMessageContaining("force-released");
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void cancellingAPipelineReleasesTheLock() {
        UniAssertSubscriber<Object> subscriber = locks.lock("a").callAsync(() -> Uni.createFrom().nothing())
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        assertThat(locks.held()).hasSize(1);
        subscriber.cancel();
        assertThat(locks.held()).isEmpty();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void lossFailsTheCallButKeepsTheBodyFailure() {
        assertThatThrownBy(() -> locks.lock("a").call(() -> elsewhere.forceRelease("a"))).isInstanceOf(LockLostException.class);
        IllegalArgumentException own = new IllegalArgumentException("own");
        assertThatThrownBy(() -> locks.lock("a").call(() -> {
            elsewhere.forceRelease("a");
            throw own;
        })).isSameAs(own).satisfies(e -> assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class));
    }

    @Test
    void interruptedCallerFailsAndKeepsItsFlag() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> locks.forceRelease("a")).isInstanceOf(LockInterruptedException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void interruptCausedByLossIsReportedAsLoss() {
        LockManager interrupting = one.manager(
                new ManagerDefaults("interrupting", Duration.ofSeconds(10), LEASE, true, null, OnLost.INTERRUPT));
        assertThatThrownBy(() -> interrupting.lock("a").call(() -> {
            CompletableFuture.runAsync(() -> elsewhere.forceRelease("a"));
            new CountDownLatch(1).await();
            return null;
        })).isInstanceOf(LockLostException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(InterruptedException.class));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThatThrownBy(() -> interrupting.lock("b").call(() -> {
            throw new InterruptedException("the body's own");
        })).isInstanceOf(InterruptedException.class);
    }

    @Test
    void suspensionOnlyForcesHoldsToRecheck() {
        LockHandle hold = locks.lock("a").acquire();
        time.shiftWallClock(Duration.ofHours(1));
        assertThat(hold.isValid()).isFalse();
        time.advance(Duration.ofMillis(1));
        assertThat(hold.isValid()).isTrue();
    }

    @Test
    void shutdownRejectsWaitersAndLetsHoldersFinish() throws Exception {
        LockHandle hold = locks.lock("a").acquire();
        UniAssertSubscriber<LockHandle> waiting = locks.lock("a").acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        CountDownLatch drained = new CountDownLatch(1);
        new Thread(() -> {
            if (one.drain(Duration.ofSeconds(10))) {
                drained.countDown();
            }
        }).start();
        waiting.awaitFailure(Duration.ofSeconds(5)).assertFailedWith(IllegalStateException.class);
        assertThatThrownBy(() -> locks.lock("b").acquire()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shutting down");
        hold.close();
        assertThat(drained.await(5, TimeUnit.SECONDS)).isTrue();
    }
}
