package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** The only worker is busy, and its queue is full. */
class FullWorkersTest {

    private static final String ON_SPARE_THREAD = "quarkus-lock-spare";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.thread-pool.max-threads", "1")
            .overrideConfigKey("quarkus.thread-pool.queue-size", "1")
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    /** A new one for each test, since tests share one instance. */
    private CountDownLatch end;

    @BeforeEach
    void begin() {
        end = new CountDownLatch(1);
    }

    @AfterEach
    void leaveTheWorkerAlone() {
        end.countDown();
    }

    @Test
    void fault471_callerGetsLockWhenWorkersAreFull() throws Exception {
        LockHandle first = locks.lock("a").acquire();
        CompletableFuture<String> told = told(locks.lock("a"));
        fill();
        first.close();
        assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(ON_SPARE_THREAD);
    }

    @Test
    void fault471_requestGetsLockWhenWorkersAreFull() throws Exception {
        LockHandle first = locks.lock("b").acquire();
        CompletableFuture<CompletableFuture<String>> request = new CompletableFuture<>();
        Context context = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());
        context.executeBlocking(() -> request.complete(told(locks.lock("b"))), false);
        CompletableFuture<String> told = request.get(30, TimeUnit.SECONDS);
        fill();
        first.close();
        assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(ON_SPARE_THREAD);
    }

    /** The timer thread also renews all locks. */
    @Test
    void fault471_waitTimeoutIsNotReportedOnTimerThread() throws Exception {
        LockHandle first = locks.lock("c").acquire();
        CompletableFuture<String> told = new CompletableFuture<>();
        locks.lock("c", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(1))).acquireAsync().subscribe()
                .with(LockHandle::close, busy -> told.complete(Thread.currentThread().getName()));
        fill();
        assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(ON_SPARE_THREAD);
        first.close();
    }

    private static CompletableFuture<String> told(DistributedLock lock) {
        CompletableFuture<String> told = new CompletableFuture<>();
        lock.acquireAsync().subscribe().with(handle -> {
            told.complete(Thread.currentThread().getName());
            handle.close();
        }, told::completeExceptionally);
        return told;
    }

    private void fill() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        int tries = 300;
        do {
            fillWith(blocked); // in vain while tasks of an earlier test are in the queue
        } while (!blocked.await(100, TimeUnit.MILLISECONDS) && tries-- > 0);
        assertThat(blocked.getCount()).isZero();
        fillWith(blocked); // the worker has taken a task from the queue
    }

    private void fillWith(CountDownLatch blocked) {
        CountDownLatch theEnd = end;
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> {
            for (int i = 0; i < 100; i++) {
                Infrastructure.getDefaultExecutor().execute(() -> {
                    blocked.countDown();
                    try {
                        theEnd.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
        });
    }
}
