package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.LogRecord;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;

/** Loss callbacks run only on notification threads, and their exceptions are logged. */
class CallbackTest {

    private final VirtualTime time = new VirtualTime();
    private final Queue<Runnable> news = new ArrayDeque<>();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(this::later)).start();
    private boolean outOfThreads;
    /** Another thread is quicker than the current one. */
    private boolean soon;
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LoggedRecords log = new LoggedRecords(HoldNotifier.class);

    @AfterEach
    void close() {
        log.close();
        engine.close();
    }

    private void later(Runnable task) {
        if (outOfThreads) {
            throw new RejectedExecutionException();
        }
        if (soon) {
            task.run();
        } else {
            news.add(task);
        }
    }

    private void tellTheNews() {
        for (Runnable task = news.poll(); task != null; task = news.poll()) {
            task.run();
        }
    }

    /** Another thread completes the stages while the one that tells the listeners is held up. */
    private void tellCallbacksFirst() {
        soon = true;
        tellTheNews();
        soon = false;
    }

    @Test
    void lossCallbackExceptionIsLogged() {
        LockHandle hold = locks.lock("a").acquire();
        RuntimeException failure = new IllegalStateException("a fault that the test asked for");
        hold.onLost(() -> {
            throw failure;
        });
        locks.forceRelease("a");
        tellTheNews();

        assertThat(log.records()).extracting(LogRecord::getThrown).containsExactly(failure);
        assertThat(hold.isValid()).isFalse();
    }

    /** The enclosing call may last much longer, and open many nested handles. */
    @Test
    void fault427_releasedNestedHandleGetsNoCallbacks() throws Exception {
        List<String> told = new ArrayList<>();
        LockHold outer = engine.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
        assertThatThrownBy(() -> engine.scopes().run(outer, () -> {
            LockHandle nested = locks.lock("a").acquire();
            nested.onLost(() -> told.add("lost"));
            nested.lost().thenRun(() -> told.add("lost too"));
            nested.onReleaseRequested(() -> told.add("requested"));
            nested.close();
            nested.onLost(() -> told.add("lost after its release"));
            nested.onReleaseRequested(() -> told.add("requested after its release"));
            LockHandle inside = locks.lock("a").acquire();
            inside.onReleaseRequested(() -> told.add("requested inside"));
            inside.onLost(() -> told.add("lost inside"));
            locks.requestRelease("a");
            locks.forceRelease("a");
            tellTheNews();
            inside.close();
            return null;
        })).isInstanceOf(LockLostException.class);
        assertThat(told).containsExactlyInAnyOrder("requested inside", "lost inside");
    }

    @Test
    void fault427_repeatedCallsReturnTheSameStage() {
        LockHandle hold = locks.lock("a").acquire();
        assertThat((Object) hold.lost()).isSameAs(hold.lost());
        assertThat((Object) hold.releaseRequested()).isSameAs(hold.releaseRequested());
        CompletableFuture<LockLostException> lost = hold.lost().toCompletableFuture();
        lost.complete(null);
        assertThat(hold.lost().toCompletableFuture()).as("no caller completes it for others").isNotDone();
        hold.close();
    }

    @Test
    void releaseRequestCallbackExceptionIsLogged() {
        RuntimeException failure = new IllegalStateException("a fault that the test asked for");
        try (LockHandle hold = locks.lock("a").acquire()) {
            hold.onReleaseRequested(() -> {
                throw failure;
            });
            locks.requestRelease("a");
            tellTheNews();
            hold.onReleaseRequested(() -> {
                throw failure;
            });
        }
        assertThat(log.records()).extracting(LogRecord::getThrown).containsExactly(failure, failure);
        assertThat(log.records())
                .allSatisfy(record -> assertThat(record.getMessage()).startsWith("A callback for the request"));
    }

    @Test
    void lateLossListenerRunsOffTheCallerThread() {
        LockHandle hold = locks.lock("a").acquire();
        locks.forceRelease("a");
        hold.onLost(() -> {
        });
        tellTheNews();

        List<String> told = new ArrayList<>();
        hold.onLost(() -> told.add("late"));
        assertThat(told).isEmpty();
        tellTheNews();
        assertThat(told).containsExactly("late");
    }

    @Test
    void fault583_lossCallbackDoesNotWaitForWhatFollowsThePipeline() {
        List<String> told = new ArrayList<>();
        locks.lock("motor").callAsync(() -> locks.lock("motor").acquireAsync()
                .invoke(hold -> hold.onLost(() -> told.add("lost")))
                .chain(() -> Uni.createFrom().<String> nothing()))
                .onFailure(LockLostException.class).recoverWithItem(() -> {
                    tellTheNews(); // as other threads do while this one is blocked
                    return "continued";
                })
                .subscribe().with(told::add);
        locks.forceRelease("motor");
        tellTheNews();
        assertThat(told).containsExactly("lost", "continued");
    }

    /** Otherwise the outcome would depend on which of them is told first. */
    @Test
    void fault583_lossPrecedesFailureProvokedByCallback() {
        List<Throwable> told = new ArrayList<>();
        IllegalStateException provoked = new IllegalStateException("stopped");
        locks.lock("a").callAsync(() -> locks.lock("a").acquireAsync()
                .chain(hold -> Uni.createFrom().emitter(body -> hold.onLost(() -> body.fail(provoked)))))
                .subscribe().with(ignored -> {
                }, told::add);
        locks.forceRelease("a");
        tellCallbacksFirst();
        assertThat(told).singleElement().isInstanceOf(LockLostException.class).satisfies(
                loss -> assertThat(loss).hasSuppressedException(provoked));
    }

    @Test
    void fault583_lossPrecedesStageFailureProvokedByCallback() throws Exception {
        IllegalStateException provoked = new IllegalStateException("stopped");
        LockHold hold = engine.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
        CompletableFuture<Object> body = new CompletableFuture<>();
        CompletableFuture<Object> stage = engine.stages().run(hold, () -> {
            locks.lock("a").acquire().onLost(() -> body.completeExceptionally(provoked));
            return body;
        }, ItemCheck.ANY).toCompletableFuture();
        locks.forceRelease("a");
        tellCallbacksFirst();
        assertThat(stage).isCompletedExceptionally();
        assertThat(stage.handle((item, failure) -> failure).join()).isInstanceOf(LockLostException.class)
                .hasSuppressedException(provoked);
    }

    /** As of a {@code CurrentLock}. */
    @Test
    void fault583_lossCallbackOfScopeDoesNotWaitForPipelineInside() {
        List<String> told = new ArrayList<>();
        HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
        LockHold hold = engine.acquire().tryAcquire("a", settings);
        assertThatThrownBy(() -> engine.scopes().run(hold, () -> {
            engine.scopes().onLost(() -> told.add("lost"));
            engine.pipelines().locked(new String[] { "a" }, settings, new LockHold[] { hold },
                    (held, pipeline) -> Uni.createFrom().<String> nothing())
                    .onFailure(LockLostException.class).recoverWithItem(() -> {
                        tellTheNews();
                        return "continued";
                    })
                    .subscribe().with(told::add);
            locks.forceRelease("a");
            tellTheNews();
            return null;
        })).isInstanceOf(LockLostException.class);
        assertThat(told).containsExactly("lost", "continued");
    }

    /** Two handles of one hold. */
    private LockHandle[] nestedHandles() throws Exception {
        return locks.lock("a").call(() -> new LockHandle[] { locks.lock("a").acquire(), locks.lock("a").acquire() });
    }

    @Test
    void fault583_lossStageDoesNotWaitForWhatFollowsAnother() throws Exception {
        List<String> told = new ArrayList<>();
        LockHandle[] nested = nestedHandles();
        nested[0].lost().thenRun(() -> {
            tellTheNews();
            told.add("first");
        });
        nested[1].lost().thenRun(() -> told.add("second"));
        locks.forceRelease("a");
        tellTheNews();
        assertThat(told).containsExactly("second", "first");
    }

    @Test
    void fault583_lossStageDoesNotDelayCallbackOfItsHandle() {
        List<String> told = new ArrayList<>();
        LockHandle hold = locks.lock("a").acquire();
        hold.onLost(() -> told.add("callback"));
        hold.lost().thenRun(() -> {
            tellTheNews();
            told.add("stage");
        });
        hold.onLost(() -> told.add("callback"));
        locks.forceRelease("a");
        tellTheNews();
        assertThat(told).containsExactly("callback", "callback", "stage");
    }

    /** No other thread may be available for the stages; then they wait. */
    @Test
    void fault583_lossReachesAllWithoutMoreThreads() throws Exception {
        List<String> told = new ArrayList<>();
        LockHandle[] nested = nestedHandles();
        nested[0].onLost(() -> told.add("first"));
        nested[1].lost().thenRun(() -> told.add("second"));
        locks.forceRelease("a");
        outOfThreads = true;
        tellTheNews();
        outOfThreads = false;
        assertThat(told).containsExactly("first", "second");
    }

    @Test
    void fault584_releaseRequestCallbackDoesNotDelayAnotherHandle() throws Exception {
        List<String> told = new ArrayList<>();
        LockHandle[] nested = nestedHandles();
        nested[0].onReleaseRequested(() -> {
            tellTheNews();
            told.add("first");
        });
        nested[1].onReleaseRequested(() -> told.add("second"));
        locks.requestRelease("a");
        tellTheNews();
        assertThat(told).containsExactly("second", "first");
    }

    @Test
    void fault584_releaseRequestStageDoesNotDelayAnotherHandle() throws Exception {
        List<String> told = new ArrayList<>();
        LockHandle[] nested = nestedHandles();
        nested[0].releaseRequested().thenRun(() -> {
            tellTheNews();
            told.add("first");
        });
        nested[1].releaseRequested().thenRun(() -> told.add("second"));
        locks.requestRelease("a");
        tellTheNews();
        assertThat(told).containsExactly("second", "first");
    }

    /** The callbacks registered with one handle share its stage. */
    @Test
    void fault584_releaseRequestCallbackDoesNotDelayTheNext() {
        List<String> told = new ArrayList<>();
        try (LockHandle hold = locks.lock("a").acquire()) {
            for (int i = 0; i < 2; i++) {
                hold.onReleaseRequested(() -> {
                    told.add("begun");
                    tellTheNews();
                    told.add("ended");
                });
            }
            locks.requestRelease("a");
            tellTheNews();
        }
        assertThat(told).containsExactly("begun", "begun", "ended", "ended");
    }

    @Test
    void fault584_releaseRequestStageDoesNotDelayCallbackOfItsHandle() {
        List<String> told = new ArrayList<>();
        try (LockHandle hold = locks.lock("a").acquire()) {
            hold.onReleaseRequested(() -> told.add("callback"));
            hold.releaseRequested().thenRun(() -> {
                tellTheNews();
                told.add("stage");
            });
            hold.onReleaseRequested(() -> told.add("callback"));
            locks.requestRelease("a");
            tellTheNews();
        }
        assertThat(told).containsExactly("callback", "callback", "stage");
    }

    @Test
    void fault584_lateReleaseRequestCallbackRunsAtOnce() {
        List<String> told = new ArrayList<>();
        try (LockHandle hold = locks.lock("a").acquire()) {
            hold.onReleaseRequested(() -> told.add("asked"));
            locks.requestRelease("a");
            tellTheNews();
            hold.onReleaseRequested(() -> told.add("late"));
            assertThat(told).containsExactly("asked", "late");
        }
    }
}
