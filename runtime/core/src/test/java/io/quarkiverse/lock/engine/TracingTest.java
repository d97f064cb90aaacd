package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A trace starts on the thread of the caller and follows the hold to its end. */
class TracingTest {

    private final ToldTraces traces = new ToldTraces();
    private final List<String> told = traces.told;
    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = engine(LockEngine.builder(backend));
    private final LockEngine local = engine(LockEngine.builder(new LocalBackend(new LocalStore(time), "test")));
    private final LockManager locks = manager(engine);
    private final LockManager localLocks = manager(local);

    private LockEngine engine(LockEngineBuilder builder) {
        return builder.time(time).threads(CallerThreads.plain(Runnable::run)).tracing(traces).start();
    }

    private static LockManager manager(LockEngine engine) {
        return engine.manager(new ManagerDefaults("reports", Duration.ofSeconds(10), Duration.ofSeconds(30), true, null,
                OnLost.FAIL));
    }

    @AfterEach
    void close() {
        engine.close();
        local.close();
    }

    @Test
    void holdIsTracedToItsEnd() {
        localLocks.lock("a").acquire().close();
        assertThat(told).containsExactly("a requested", "a granted", "a ended");
    }

    @Test
    void nestedCallIsNotTracedAsAHold() throws Exception {
        Callable<Integer> inner = () -> localLocks.lock("a").call(() -> 1);
        localLocks.lock("a").call(inner);
        assertThat(told).containsExactly("a requested", "a granted", "a ended");
    }

    @Test
    void eachOfSeveralNamesIsTraced() {
        localLocks.all("b", "a").acquire().close();
        localLocks.all("b", "a").acquireAsync().await().indefinitely().close();
        assertThat(told.subList(0, 6)).containsExactlyInAnyOrder("a requested", "b requested", "a granted", "b granted",
                "a ended", "b ended");
        assertThat(told.subList(6, 12)).containsExactlyInAnyOrderElementsOf(told.subList(0, 6));
    }

    @Test
    void jointClaimIsTracedFromTheRequest() {
        backend.together = true;
        var subscriber = subscribe(true, "a", "b");
        assertThat(told).containsExactly("a requested", "b requested");
        backend.grantTogether();
        subscriber.assertCompleted().getItem().close();
        assertThat(told).containsExactly("a requested", "b requested", "a granted", "b granted", "b ended", "a ended");
    }

    @Test
    void refusedJointClaimIsTracedAnew() {
        backend.together = true;
        subscribe(true, "a", "b");
        backend.refuseTogether();
        assertThat(told).containsExactly("a requested", "b requested", "a given up", "b given up", "a requested");
    }

    @Test
    void unsampledNamesAreOfferedForTracingOnce() {
        traces.unsampled = true;
        backend.together = true;
        var subscriber = subscribe(true, "a", "b");
        backend.grantTogether();
        subscriber.assertCompleted().getItem().close();
        assertThat(told).containsExactly("a requested", "b requested");
    }

    @Test
    void cancellationByTheTracerEndsTheJointClaim() {
        backend.together = true;
        UniAssertSubscriber<LockHandle> subscriber = UniAssertSubscriber.create();
        traces.whenRequested = name -> {
            if (name.equals("b")) {
                subscriber.cancel();
            }
        };
        locks.all("a", "b").acquireAsync().subscribe().withSubscriber(subscriber);
        assertThat(told).containsExactly("a requested", "b requested", "a given up", "b given up");
        assertThat(backend.askedTogether).isEmpty();
    }

    @Test
    void queueRetiredDuringRequestStartsNoSecondTrace() {
        LockHandle other = localLocks.lock("b").acquire();
        AtomicBoolean swept = new AtomicBoolean();
        traces.whenRequested = name -> {
            if (swept.compareAndSet(false, true)) {
                time.advance(Duration.ofSeconds(10)); // the sweep that renews the other one retires idle queues
            }
        };
        told.clear();
        localLocks.lock("a").acquire().close();
        other.close();
        assertThat(told).containsExactly("a requested", "a granted", "a ended", "b ended");
    }

    @Test
    void lossFoundByRetriedReleaseIsTraced() {
        var subscriber = subscribe(false, "a");
        backend.grant();
        LockHandle handle = subscriber.assertCompleted().getItem();
        backend.releaseFailure = new IllegalStateException("no answer");
        handle.close();
        assertThat(told).containsExactly("a requested", "a granted");
        backend.releaseFailure = new LockLostException("a", "it was not there", null);
        time.advance(Duration.ofSeconds(1));
        assertThat(told).containsExactly("a requested", "a granted", "a lost, it was not there", "a ended, lost");
    }

    @Test
    void retriedReleaseEndsTheTrace() {
        var subscriber = subscribe(false, "a");
        backend.grant();
        LockHandle handle = subscriber.assertCompleted().getItem();
        backend.releaseFailure = new IllegalStateException("no answer");
        handle.close();
        assertThat(told).containsExactly("a requested", "a granted");
        backend.releaseFailure = null;
        time.advance(Duration.ofSeconds(1));
        assertThat(told).containsExactly("a requested", "a granted", "a ended");
    }

    @Test
    void failedReleaseEndsTheTraceWithTheLease() {
        var subscriber = subscribe(false, "a");
        backend.grant();
        LockHandle handle = subscriber.assertCompleted().getItem();
        backend.releaseFailure = new IllegalStateException("no answer");
        handle.close();
        time.advance(Duration.ofMinutes(1));
        assertThat(told).containsExactly("a requested", "a granted", "a ended");
    }

    @Test
    void busyOutcomeIsTraced() {
        LockHandle first = localLocks.lock("a").acquire();
        assertThat(localLocks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(localLocks.lock("a").tryAcquireAsync(Duration.ZERO).await().indefinitely()).isEmpty();
        first.close();
        assertThat(told).hasSize(7).startsWith("a requested", "a granted", "a requested").endsWith("a ended");
        assertThat(List.of(told.get(3), told.get(5))).allSatisfy(news -> assertThat(news).startsWith("a busy, this JVM for "));
    }

    @Test
    void handOverIsTraced() {
        LockHandle first = localLocks.lock("a").acquire();
        var second = localLocks.lock("a").acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        first.close();
        second.assertCompleted().getItem().close();
        assertThat(told).hasSize(6).startsWith("a requested", "a granted", "a requested").endsWith("a ended")
                .contains("a granted, handed over");
    }

    @Test
    void cancelledWaitIsTraced() {
        var subscriber = subscribe(false, "a");
        subscriber.cancel();
        assertThat(told).containsExactly("a requested", "a given up");
    }

    @Test
    void interruptedWaitIsTraced() throws Exception {
        Thread waiter = new Thread(() -> {
            assertThatThrownBy(() -> locks.lock("a").acquire()).isInstanceOf(LockInterruptedException.class);
            told.add("interrupted");
        });
        waiter.start();
        while (told.isEmpty()) {
            Thread.onSpinWait();
        }
        waiter.interrupt();
        waiter.join();
        assertThat(told).containsExactly("a requested", "a given up", "interrupted");
    }

    @Test
    void failedWaitIsTraced() {
        engine.drain(Duration.ZERO);
        assertThatThrownBy(() -> locks.lock("a").acquire()).isInstanceOf(IllegalStateException.class);
        assertThat(told).hasSize(2).first().isEqualTo("a requested");
        assertThat(told.get(1)).startsWith("a failed, ");
    }

    @Test
    void traceOfLostHoldEndsWithTheLastUser() {
        LockHandle handle = localLocks.lock("a").acquire();
        localLocks.forceRelease("a");
        assertThat(told).hasSize(3).last().asString().startsWith("a lost, ");
        handle.close();
        assertThat(told).hasSize(4).last().isEqualTo("a ended, lost");
    }

    @Test
    void lossFoundByReleaseIsTraced() {
        var subscriber = subscribe(false, "a");
        backend.grant();
        LockHandle handle = subscriber.assertCompleted().getItem();
        backend.releaseFailure = new LockLostException("a", "it was not there", null);
        handle.close();
        assertThat(told).containsExactly("a requested", "a granted", "a lost, it was not there", "a ended, lost");
    }

    @Test
    void failingTracerDoesNotDisturbTheLock() {
        traces.failing = true;
        localLocks.lock("a").acquire().close();
        assertThat(told).containsExactly("a requested");
    }

    private UniAssertSubscriber<LockHandle> subscribe(boolean several, String... names) {
        return (several ? locks.all(names) : locks.lock(names[0])).acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
    }
}
