package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Grant;
import io.smallrye.mutiny.Uni;

/** How the engine handles a release request that a backend reports. */
class RequestedReleaseTest {

    private final VirtualTime time = new VirtualTime();
    private final Queue<Runnable> work = new ArrayDeque<>();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(work::add)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    private LockHandle take(LockOptions options) {
        var taken = locks.lock("a", options).acquireAsync().subscribeAsCompletionStage();
        backend.grant();
        runWork();
        return taken.getNow(null);
    }

    private Grant last() {
        return backend.granted.get(backend.granted.size() - 1);
    }

    private void runWork() {
        while (!work.isEmpty()) {
            work.remove().run();
        }
    }

    @Test
    void requestIsVisibleAtOnceAndNotifiedOnWorker() {
        LockHandle hold = take(LockOptions.DEFAULTS);
        var told = new AtomicInteger();
        hold.onReleaseRequested(told::incrementAndGet);
        backend.listener.releaseRequested(last());
        assertThat(hold.isReleaseRequested()).isTrue();
        assertThat(told).hasValue(0);
        runWork();
        backend.listener.releaseRequested(last());
        runWork();
        assertThat(told).hasValue(1);
        assertThat(hold.isValid()).isTrue();
        hold.close();
    }

    @Test
    void listenerCannotCompleteTheEventForOthers() {
        LockHandle hold = take(LockOptions.DEFAULTS);
        hold.releaseRequested().toCompletableFuture().complete(null);
        assertThat(hold.releaseRequested().toCompletableFuture()).isNotDone();
        assertThat(hold.isReleaseRequested()).isFalse();
        hold.close();
    }

    @Test
    void endedHoldIsNotNotifiedOfRequests() {
        LockHandle hold = take(LockOptions.DEFAULTS);
        Grant grant = last();
        hold.close();
        backend.listener.releaseRequested(grant);
        LockHandle next = take(LockOptions.DEFAULTS);
        backend.listener.releaseRequested(grant);
        runWork();
        assertThat(hold.isReleaseRequested()).isFalse();
        assertThat(next.isReleaseRequested()).isFalse();
        next.close();
    }

    @Test
    void lossIsNotifiedToListenersOfBothEvents() {
        LockHandle hold = take(LockOptions.DEFAULTS);
        var told = new AtomicInteger();
        hold.onReleaseRequested(told::incrementAndGet);
        hold.onLost(() -> told.addAndGet(10));
        backend.listener.lost(last(), "for the test");
        runWork();
        assertThat(told).hasValue(10);
        hold.onLost(() -> told.addAndGet(10));
        runWork();
        assertThat(told).hasValue(20);
        hold.close();
    }

    @Test
    void requestInTheHoldersJvmTriggersRenewal() {
        backend.requested = true;
        LockHandle hold = take(LockOptions.DEFAULTS);
        assertThat(locks.requestReleaseAsync("a").await().atMost(Duration.ofSeconds(5))).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(backend.renewed).hasSize(1);
        hold.close();
    }

    @Test
    void requestDoesNotRenewUnrenewedHold() {
        backend.requested = true;
        LockHandle hold = take(LockOptions.DEFAULTS.withRenew(false));
        Duration left = hold.validFor();
        locks.requestReleaseAsync("a").await().atMost(Duration.ofSeconds(5));
        time.advance(Duration.ofMillis(1));
        assertThat(backend.renewed).isEmpty();
        assertThat(hold.validFor()).isEqualTo(left.minusMillis(1));
        hold.close();
    }

    @Test
    void releaseRequestIsRejectedIfBackendLacksIt() {
        backend.requested = null;
        backend.features = Set.of();
        assertThatThrownBy(() -> locks.requestRelease("a")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'a'").hasMessageContaining("'answering'").hasMessageContaining("quarkus.lock.backend");
        assertThatThrownBy(() -> locks.requestReleaseAsync("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void requestForOneOfSeveralNamesIsEnough() {
        Uni<LockHandle> both = locks.all("a", "b").acquireAsync();
        var taken = both.subscribeAsCompletionStage();
        backend.grant();
        Grant first = last();
        runWork();
        backend.grant();
        runWork();
        LockHandle hold = taken.getNow(null);
        var told = new AtomicInteger();
        hold.onReleaseRequested(told::incrementAndGet);
        assertThat(hold.isReleaseRequested()).isFalse();
        backend.listener.releaseRequested(first);
        assertThat(hold.isReleaseRequested()).isTrue();
        runWork();
        backend.listener.releaseRequested(last());
        runWork();
        assertThat(told).hasValue(1);
        hold.close();
    }

    /** For example, a leader would otherwise hold it until the application has stopped. */
    @Test
    void fault473_holderIsAskedToReleaseWhenApplicationStops() {
        LockHandle hold = take(LockOptions.DEFAULTS);
        var told = new AtomicInteger();
        hold.onReleaseRequested(() -> {
            told.incrementAndGet();
            hold.close();
        });
        assertThat(engine.drain(Duration.ZERO)).isFalse();
        assertThat(hold.isReleaseRequested()).isTrue();
        assertThat(engine.drain(Duration.ZERO)).isFalse();
        runWork();
        assertThat(told).as("once").hasValue(1);
        assertThat(engine.drain(Duration.ZERO)).isTrue();
    }

    @Test
    void fault473_holderWithoutListenerKeepsItsLock() {
        LockHandle hold = take(LockOptions.DEFAULTS);
        assertThat(engine.drain(Duration.ZERO)).isFalse();
        runWork();
        assertThat(hold.isValid()).isTrue();
        hold.close();
        assertThat(engine.drain(Duration.ZERO)).isTrue();
    }
}
