package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.Uni;

/** So many names that one stack frame for each would overflow the small stack of the thread. */
class ManyNamesTest {

    private static final int STACK = 256 * 1024;
    private static final String[] NAMES = IntStream.range(0, 5_000).mapToObj(i -> "name-" + i).toArray(String[]::new);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine engine = engine(new LocalBackend(store, "test"));
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    private LockEngine engine(LockBackend backend) {
        return LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start();
    }

    private static <T> T onSmallStack(Callable<T> work) throws Exception {
        var result = new CompletableFuture<T>();
        var thread = new Thread(null, () -> {
            try {
                result.complete(work.call());
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        }, "small stack", STACK);
        thread.start();
        thread.join();
        return result.get();
    }

    /** Closes the engine only here: after a stack overflow, anything may stay locked, and closing would wait for it. */
    private void assertFree() {
        assertThat(locks.held()).isEmpty();
        try (LockHandle all = locks.all(NAMES).tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(all.isValid()).isTrue();
        }
        engine.close();
    }

    /** Does not await: a failure that is thrown during the subscription may never reach the subscriber. */
    private static <T> T now(Uni<T> uni) {
        CompletableFuture<T> outcome = uni.subscribeAsCompletionStage();
        assertThat(outcome).isDone();
        return outcome.join();
    }

    private static Uni<Integer> held(LockManager locks) {
        return Uni.createFrom().item(() -> locks.held().size());
    }

    @Test
    void fault492_bodyRunsUnderManyNames() throws Exception {
        assertThat(onSmallStack(() -> locks.all(NAMES).call(() -> locks.held().size()))).isEqualTo(NAMES.length);
        assertFree();
    }

    @Test
    void fault492_nestedBodiesRunUnderManyNames() throws Exception {
        assertThat(onSmallStack(() -> locks.all(NAMES).call(() -> locks.all(NAMES).call(() -> locks.held().size()))))
                .isEqualTo(NAMES.length);
        assertFree();
    }

    @Test
    void fault492_bodyFailureUnderManyNamesIsPropagated() {
        var failure = new IllegalStateException("of the body");
        assertThatThrownBy(() -> onSmallStack(() -> locks.all(NAMES).call(() -> {
            throw failure;
        }))).isInstanceOf(ExecutionException.class).cause().isSameAs(failure).hasNoSuppressedExceptions();
        assertFree();
    }

    @Test
    void fault492_stageRunsUnderManyNames() throws Exception {
        var result = new CompletableFuture<Integer>();
        var stage = onSmallStack(() -> engine.stages().run(engine.acquire().take(NAMES, settings(), null), () -> {
            assertThat(engine.scopes().holds()).hasSameSizeAs(NAMES);
            return result;
        }, ItemCheck.ANY));
        assertThat(locks.held()).hasSameSizeAs(NAMES);
        result.complete(1);
        assertThat(stage).isCompletedWithValue(1);
        assertFree();
    }

    private static HoldSettings settings() {
        return new HoldSettings("<default>", null, Duration.ofSeconds(10).toNanos(), Duration.ofSeconds(30).toNanos(), true,
                Long.MAX_VALUE, OnLost.FAIL, 0, LockMode.EXCLUSIVE, 0);
    }

    @Test
    void fault492_pipelineRunsUnderManyNames() throws Exception {
        assertThat(onSmallStack(() -> now(locks.all(NAMES).callAsync(() -> held(locks)))))
                .isEqualTo(NAMES.length);
        assertFree();
    }

    @Test
    void fault492_nestedPipelinesRunUnderManyNames() throws Exception {
        Supplier<Uni<Integer>> inner = () -> locks.all(NAMES).callAsync(() -> held(locks));
        assertThat(onSmallStack(() -> now(locks.all(NAMES).callAsync(inner)))).isEqualTo(NAMES.length);
        assertFree();
    }

    /** The store answers each claim during the call. */
    @Test
    void fault492_storeGrantsManyNamesSynchronously() throws Exception {
        var shared = new NotingBackend.Shared();
        LockEngine asking = engine(new NotingBackend(shared, new LocalBackend(store, "asking"), "asking"));
        LockManager there = asking.manager(ManagerDefaults.STANDARD);
        assertThat(onSmallStack(() -> now(there.all(NAMES).callAsync(() -> held(there))))).isEqualTo(NAMES.length);
        assertThat(there.held()).isEmpty();
        asking.close();
        assertFree();
    }

    @Test
    void fault492_handleCoversManyNames() throws Exception {
        LockHandle handle = onSmallStack(() -> locks.all(NAMES).acquire());
        assertThat(locks.held()).hasSameSizeAs(NAMES);
        onSmallStack(() -> {
            handle.close();
            return null;
        });
        assertFree();
    }

    @Test
    void fault492_asyncHandleCoversManyNames() throws Exception {
        LockHandle handle = onSmallStack(() -> now(locks.all(NAMES).acquireAsync()));
        assertThat(locks.held()).hasSameSizeAs(NAMES);
        onSmallStack(() -> now(handle.release()));
        assertFree();
    }

    @Test
    void fault492_manyNamesAreExtended() throws Exception {
        changed(handle -> handle.extendAsync(Duration.ofMinutes(5)), Duration.ofMinutes(5));
    }

    @Test
    void fault492_manyLeasesAreChanged() throws Exception {
        changed(handle -> handle.changeLeaseAsync(Duration.ofMinutes(2)), Duration.ofMinutes(2));
    }

    private void changed(Function<LockHandle, Uni<Void>> change, Duration lease) throws Exception {
        LockHandle handle = locks.all(NAMES).acquire();
        onSmallStack(() -> now(change.apply(handle)));
        assertThat(handle.validFor()).isBetween(lease.dividedBy(2), lease);
        handle.close();
        assertFree();
    }

    @Test
    void fault492_manyNamesAreKeptForHoldAtLeast() throws Exception {
        Duration atLeast = Duration.ofMinutes(1);
        LockHandle handle = locks.all(NAMES).acquire();
        onSmallStack(() -> now(handle.changeHoldAtLeastAsync(atLeast)));
        handle.close();
        assertThat(locks.lock(NAMES[NAMES.length - 1]).tryAcquire(Duration.ZERO)).isEmpty();
        time.advance(atLeast);
        assertFree();
    }

    @Test
    void fault492_manyNamesAreDowngraded() throws Exception {
        LockHandle handle = locks.all(NAMES).acquire();
        onSmallStack(() -> now(handle.downgradeAsync()));
        locks.all(LockOptions.DEFAULTS.withMode(LockMode.SHARED), NAMES).tryAcquire(Duration.ZERO).orElseThrow().close();
        handle.close();
        assertFree();
    }
}
