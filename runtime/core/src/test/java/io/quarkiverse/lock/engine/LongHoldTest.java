package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Work repeated many times under one hold leaves nothing behind in the hold. */
class LongHoldTest {

    private static final int TIMES = 100;

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
    private final List<WeakReference<Object>> done = new ArrayList<>();

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void nestedPipelinesLeaveNothingBehind() {
        var stop = new CompletableFuture<Void>();
        var holding = locks.lock("a").callAsync(() -> Uni.createFrom().context(around -> {
            for (int i = 0; i < TIMES; i++) {
                nested(around);
            }
            return Uni.createFrom().completionStage(stop);
        })).subscribe().withSubscriber(UniAssertSubscriber.create());
        assertThat(done).hasSize(TIMES);
        assertMostlyGone();
        stop.complete(null);
        holding.assertCompleted();
    }

    private void nested(Context around) {
        Object work = new byte[16];
        done.add(new WeakReference<>(work));
        locks.lock("a").callAsync(() -> Uni.createFrom().item(work)).subscribe()
                .withSubscriber(new UniAssertSubscriber<>(around, false)).assertItem(work);
    }

    @Test
    void nestedStagesLeaveNothingBehind() throws Exception {
        LockHold hold = engine.acquire().tryAcquire("a", settings);
        engine.scopes().run(hold, () -> {
            for (int i = 0; i < TIMES; i++) {
                Object work = new byte[16];
                done.add(new WeakReference<>(work));
                assertThat(hold.enter()).isTrue();
                assertThat(engine.stages().run(hold,
                        () -> engine.stages().failingInside(hold, CompletableFuture.completedFuture(work)), ItemCheck.ANY))
                        .isCompletedWithValue(work);
            }
            assertMostlyGone();
            return null;
        });
    }

    @Test
    void fault427_nestedHandlesLeaveNothingBehind() throws Exception {
        leavesNothingOf((nested, work) -> nested.onLost(work::hashCode));
    }

    @Test
    void fault514_releaseRequestListenersLeaveNothingBehind() throws Exception {
        leavesNothingOf((nested, work) -> nested.onReleaseRequested(work::hashCode));
    }

    /** @param use is applied to each nested handle, with an object that the hold must not retain */
    private void leavesNothingOf(BiConsumer<LockHandle, Object> use) throws Exception {
        LockHold hold = engine.acquire().tryAcquire("a", settings);
        engine.scopes().run(hold, () -> {
            for (int i = 0; i < TIMES; i++) {
                Object work = new byte[16];
                done.add(new WeakReference<>(work));
                try (LockHandle nested = locks.lock("a").acquire()) {
                    use.accept(nested, work);
                }
            }
            assertMostlyGone();
            return null;
        });
    }

    private void assertMostlyGone() {
        for (int i = 0; i < 50 && left() > TIMES / 10; i++) {
            System.gc();
        }
        assertThat(left()).isLessThanOrEqualTo(TIMES / 10);
    }

    private long left() {
        return done.stream().filter(each -> each.get() != null).count();
    }

    @Test
    void lossReachesInnermostPipelineFirst() {
        List<String> heard = new ArrayList<>();
        AtomicInteger ended = new AtomicInteger();
        var holding = locks.lock("a").callAsync(() -> locks.lock("a").callAsync(() -> Uni.createFrom().item(1)) // has ended
                .chain(() -> locks.lock("a").callAsync(() -> Uni.createFrom().nothing()
                        .onCancellation().invoke(() -> heard.add("inner"))))
                .onCancellation().invoke(() -> heard.add("outer")).onTermination().invoke(ended::incrementAndGet))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        locks.forceRelease("a");
        holding.assertFailedWith(LockLostException.class, "'a'");
        assertThat(heard).startsWith("inner");
        assertThat(ended).hasValue(1);
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isPresent();
    }
}
