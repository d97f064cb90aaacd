package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;

/** A store delivers all answers on one thread: user code that blocked it would stop all locks of the JVM. */
class StoreThreadTest {

    private final AnsweringBackend backend = new AnsweringBackend();
    private final ExecutorService store = Executors.newSingleThreadExecutor(task -> new Thread(task, "store"));
    private final ExecutorService callers = Executors.newSingleThreadExecutor(task -> new Thread(task, "caller"));
    private final LockEngine engine = LockEngine.builder(backend).time(new VirtualTime())
            .threads(CallerThreads.plain(callers)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    /** Lets the store answer once all continuations are registered. */
    private final CountDownLatch answer = new CountDownLatch(1);

    @BeforeEach
    void waitsBeforeItAnswers() {
        backend.whenAsked = backend::grant;
        backend.requested = true;
        backend.answers = store;
        store.execute(() -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @AfterEach
    void end() {
        answer.countDown();
        store.shutdown();
        callers.shutdown();
    }

    private String threadAfter(Uni<?> answered) throws Exception {
        return threadAfter(answered.subscribeAsCompletionStage());
    }

    private String threadAfter(CompletionStage<?> answered) throws Exception {
        CompletionStage<String> thread = answered.thenApply(any -> Thread.currentThread().getName());
        answer.countDown();
        return thread.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void fault431_releaseContinuesOnTheCallerThread() throws Exception {
        assertThat(threadAfter(locks.lock("a").acquire().release())).isEqualTo("caller");
    }

    @Test
    void fault431_stageContinuesOnTheCallerThread() throws Exception {
        LockHold hold = engine.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
        assertThat(threadAfter(engine.stages().run(hold, () -> CompletableFuture.completedFuture("done"), ItemCheck.ANY)))
                .isEqualTo("caller");
    }

    @Test
    void fault431_stageWithFailedReleaseContinuesOnTheCallerThread() throws Exception {
        LockHold hold = engine.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
        backend.releaseFailure = new IllegalStateException("not released");
        assertThat(threadAfter(engine.stages().run(hold, () -> CompletableFuture.completedFuture("done"), ItemCheck.ANY)))
                .isEqualTo("caller");
    }

    @Test
    void fault431_leaseExtensionContinuesOnTheCallerThread() throws Exception {
        LockHandle hold = locks.lock("a").acquire();
        assertThat(threadAfter(hold.extendAsync(Duration.ofMinutes(1)))).isEqualTo("caller");
    }

    @Test
    void fault431_inspectionContinuesOnTheCallerThread() throws Exception {
        assertThat(threadAfter(locks.inspectAsync("a"))).isEqualTo("caller");
    }

    @Test
    void fault431_forcedReleaseContinuesOnTheCallerThread() throws Exception {
        assertThat(threadAfter(locks.forceReleaseAsync("a"))).isEqualTo("caller");
    }

    @Test
    void fault431_releaseRequestContinuesOnTheCallerThread() throws Exception {
        assertThat(threadAfter(locks.requestReleaseAsync("a"))).isEqualTo("caller");
    }

    @Test
    void synchronousAnswerNeedsNoOtherThread() throws Exception {
        backend.answers = Runnable::run;
        String here = Thread.currentThread().getName();
        assertThat(threadAfter(locks.lock("a").acquire().release())).isEqualTo(here);
        assertThat(threadAfter(locks.inspectAsync("a"))).isEqualTo(here);
    }

    @Test
    void cancelledSubscriberReceivesNothing() throws Exception {
        var told = new CompletableFuture<Void>();
        locks.lock("a").acquire().release().subscribe().with(told::complete).cancel();
        answer.countDown();
        store.submit(() -> {
        }).get(10, TimeUnit.SECONDS);
        callers.submit(() -> {
        }).get(10, TimeUnit.SECONDS);
        assertThat(told).isNotDone();
    }
}
