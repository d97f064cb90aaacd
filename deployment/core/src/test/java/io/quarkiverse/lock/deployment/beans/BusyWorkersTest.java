package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.HoldTrace;
import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** All workers wait for something, and callers are traced. */
class BusyWorkersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(app -> app.addClass(ThreadTracing.class))
            .overrideConfigKey("quarkus.thread-pool.max-threads", "2")
            .overrideConfigKey("quarkus.lock.backend", "local");

    /** Keeps the trace in a thread local, as without a Vert.x context. */
    @Singleton
    @Unremovable
    public static class ThreadTracing implements Tracing {

        static final ThreadLocal<String> TRACE = new ThreadLocal<>();

        @Override
        public HoldTrace requested(String name, HoldSettings settings, String backend) {
            return null;
        }

        @Override
        public Executor keepingContext(Executor threads) {
            String callers = TRACE.get();
            return task -> threads.execute(() -> {
                String before = TRACE.get();
                TRACE.set(callers);
                try {
                    task.run();
                } finally {
                    TRACE.set(before);
                }
            });
        }
    }

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    /** A new one for each test, since tests share one instance. */
    private CountDownLatch end;
    /** Threads that are about to wait for an outcome. */
    private final List<Thread> waiting = new CopyOnWriteArrayList<>();

    @BeforeEach
    void begin() {
        end = new CountDownLatch(1);
        waiting.clear();
    }

    @AfterEach
    void leaveTheWorkersAlone() {
        end.countDown();
        ThreadTracing.TRACE.remove();
    }

    @Test
    void fault122_tracingDoesNotDelayLossNotification() throws Exception {
        ThreadTracing.TRACE.set("the caller's");
        CompletableFuture<String> told = new CompletableFuture<>();
        CountDownLatch runs = new CountDownLatch(1);
        CompletableFuture<Object> outcome = locks.lock("lost").callAsync(() -> {
            runs.countDown();
            return Uni.createFrom().nothing().onCancellation().invoke(() -> told.complete(ThreadTracing.TRACE.get()));
        }).subscribeAsCompletionStage();
        assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
        blockAllWorkers();

        locks.forceRelease("lost");

        assertThatThrownBy(() -> outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LockLostException.class);
        assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("the caller's");
    }

    /** Both workers wait for a result that only a worker could deliver. */
    @Test
    void fault430_callersOnWorkersGetTheirLocks() throws Exception {
        LockHandle a = locks.lock("a").acquire();
        LockHandle b = locks.lock("b").acquire();
        CompletableFuture<String> ofA = onWorker(() -> awaitsUnder(locks.lock("a")));
        CompletableFuture<String> ofB = onWorker(() -> awaitsUnder(locks.lock("b")));
        bothWait();

        a.close();
        b.close();

        assertThat(ofA.get(30, TimeUnit.SECONDS)).isEqualTo("in the request");
        assertThat(ofB.get(30, TimeUnit.SECONDS)).isEqualTo("in the request");
    }

    @Test
    void fault430_callersOnWorkersFailOnBusyLocks() throws Exception {
        LockOptions brief = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(1));
        try (LockHandle a = locks.lock("a").acquire(); LockHandle b = locks.lock("b").acquire()) {
            CompletableFuture<String> ofA = onWorker(() -> awaitsUnder(locks.lock("a", brief)));
            CompletableFuture<String> ofB = onWorker(() -> awaitsUnder(locks.lock("b", brief)));

            assertThat(ofA).failsWithin(Duration.ofSeconds(30)).withThrowableThat()
                    .withCauseInstanceOf(LockBusyException.class);
            assertThat(ofB).failsWithin(Duration.ofSeconds(30)).withThrowableThat()
                    .withCauseInstanceOf(LockBusyException.class);
            assertThat(a.isValid() && b.isValid()).isTrue();
        }
    }

    @Test
    void fault432_lossReachesRequestWhileAllWorkersAreBusy() throws Exception {
        CompletableFuture<String> told = new CompletableFuture<>();
        CountDownLatch runs = new CountDownLatch(1);
        CompletableFuture<CompletableFuture<Object>> request = onWorker(() -> {
            Context context = Vertx.currentContext();
            return locks.lock("lost").callAsync(() -> {
                runs.countDown();
                return Uni.createFrom().nothing().onCancellation().invoke(() -> told.complete(placeIn(context)));
            }).subscribeAsCompletionStage();
        });
        CompletableFuture<Object> outcome = request.get(30, TimeUnit.SECONDS);
        assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
        blockAllWorkers();

        locks.forceRelease("lost");

        assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("in the request");
        assertThat(outcome).failsWithin(Duration.ofSeconds(30)).withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
    }

    private String awaitsUnder(DistributedLock lock) {
        waiting.add(Thread.currentThread());
        Context context = Vertx.currentContext();
        return lock.callAsync(() -> Uni.createFrom().item(() -> placeIn(context))).await().atMost(Duration.ofMinutes(1));
    }

    /** A thread that waits for the outcome has asked for its lock. */
    private void bothWait() {
        long start = System.nanoTime();
        while (waiting.size() < 2 || waiting.stream().anyMatch(each -> each.getState() != Thread.State.TIMED_WAITING)) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
            Thread.onSpinWait();
        }
    }

    private static String placeIn(Context request) {
        return Vertx.currentContext() == request && BlockingOperationControl.isBlockingAllowed() ? "in the request"
                : "elsewhere: " + Thread.currentThread().getName();
    }

    private <T> CompletableFuture<T> onWorker(Callable<T> task) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext()).executeBlocking(() -> {
            try {
                outcome.complete(task.call());
            } catch (Throwable e) {
                outcome.completeExceptionally(e);
            }
            return null;
        }, false);
        return outcome;
    }

    private void blockAllWorkers() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(2);
        CountDownLatch theEnd = end;
        for (int i = 0; i < 2; i++) {
            Infrastructure.getDefaultExecutor().execute(() -> {
                blocked.countDown();
                try {
                    theEnd.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
    }
}
