package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.engine.thread.SpareThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;

/** All workers may be waiting for a result that only another worker could deliver. */
class SpareThreadsTest {

    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final Executor SINGLE = Runnable::run;

    private final VirtualTime time = new VirtualTime();
    /** Tasks that no worker has started. */
    private final Deque<Runnable> queue = new ConcurrentLinkedDeque<>();
    private final Executor workers = this::work;
    private final ClassLoader loader = new ClassLoader() {
    };
    private final CallerThreads few = new CallerThreads() {
        @Override
        public boolean blockingForbidden() {
            return false;
        }

        @Override
        public Executor here() {
            return workers;
        }

        @Override
        public Executor workers() {
            return workers;
        }
    };
    private final SpareThreads threads = new SpareThreads(few, time, loader);
    /** Whether the queue of the workers is full. */
    private boolean full;

    private void work(Runnable task) {
        if (full) {
            throw new RejectedExecutionException("the queue is full");
        }
        queue.add(task);
    }

    @Test
    void fault430_taskNoWorkerStartsRunsOnASpareThread() throws Exception {
        var ran = new CompletableFuture<Thread>();
        var times = new AtomicInteger();
        threads.here().execute(() -> {
            times.incrementAndGet();
            ran.complete(Thread.currentThread());
        });
        time.advance(PATIENCE.minusMillis(1));
        assertThat(ran).isNotDone();
        time.advance(Duration.ofMillis(1));
        Thread thread = ran.get(10, TimeUnit.SECONDS);
        assertThat(thread.getName()).isEqualTo("quarkus-lock-spare");
        assertThat(thread.getContextClassLoader()).isSameAs(loader);

        queue.remove().run();
        assertThat(times).as("a worker that comes too late finds nothing to do").hasValue(1);
        time.advance(PATIENCE);
        assertThat(time.timers()).isZero();
    }

    @Test
    void fault430_blockedSpareThreadDoesNotStopTheNextTask() throws Exception {
        var blocked = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        var second = new CompletableFuture<Thread>();
        threads.here().execute(() -> {
            blocked.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        threads.here().execute(() -> second.complete(Thread.currentThread()));
        time.advance(PATIENCE);
        assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(second).isNotDone();
        time.advance(PATIENCE);
        assertThat(second.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
        end.countDown();
        time.advance(PATIENCE);
        assertThat(time.timers()).isZero();
    }

    @Test
    void fault430_taskStartedByAWorkerNeedsNoSpareThread() {
        var times = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            threads.here().execute(times::incrementAndGet);
        }
        assertThat(time.timers()).as("one for all of them").isEqualTo(1);
        while (!queue.isEmpty()) {
            queue.remove().run();
        }
        time.advance(PATIENCE);
        assertThat(times).hasValue(3);
        assertThat(time.timers()).isZero();

        threads.here().execute(times::incrementAndGet);
        assertThat(time.timers()).as("the next task is watched again").isEqualTo(1);
    }

    /** Its timers end with it, and the workers may wait forever. */
    @Test
    void fault430_engineCloseIsReportedWithoutAWorker() throws Exception {
        var backend = new AnsweringBackend();
        var refused = new CompletableFuture<Throwable>();
        try (LockEngine engine = LockEngine.builder(backend).time(time).threads(few).start()) {
            engine.manager(ManagerDefaults.STANDARD).lock("a").acquireAsync().subscribe().with(nothing -> {
            }, refused::complete);
        }
        assertThat(refused.get(10, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);

        var later = new CompletableFuture<Void>();
        threads.close();
        threads.here().execute(() -> later.complete(null));
        later.get(10, TimeUnit.SECONDS);
    }

    /** Virtual time does not advance here. */
    @Test
    void fault432_lossIsReportedWithoutWaitingForASpareThread() throws Exception {
        var backend = new AnsweringBackend();
        backend.whenAsked = backend::grant;
        var stopped = new CompletableFuture<Void>();
        try (LockEngine engine = LockEngine.builder(backend).time(time).threads(few).start()) {
            engine.manager(ManagerDefaults.STANDARD).lock("a")
                    .callAsync(() -> Uni.createFrom().nothing().onCancellation().invoke(() -> stopped.complete(null)))
                    .subscribe().with(nothing -> {
                    }, loss -> {
                    });
            queue.remove().run(); // the grant reaches a worker
            backend.listener.lost(backend.granted.get(0), "a test says so");
            stopped.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void fault471_taskRejectedByWorkersRunsOnASpareThread() throws Exception {
        var ran = new CompletableFuture<Thread>();
        full = true;
        threads.here().execute(() -> ran.complete(Thread.currentThread()));
        assertThat(ran).isNotDone();
        time.advance(PATIENCE);
        assertThat(ran.get(10, TimeUnit.SECONDS).getName()).isEqualTo("quarkus-lock-spare");
        time.advance(PATIENCE);
        assertThat(time.timers()).isZero();
    }

    /** This thread acts as the store's: it delivers the grant and the answer to the release. */
    @Test
    void fault471_fullQueueRunsNoUserCodeOnTheStoreThread() throws Exception {
        var backend = new AnsweringBackend();
        var answers = new LinkedBlockingQueue<Runnable>();
        backend.answers = answers::add;
        var body = new CompletableFuture<Thread>();
        var after = new CompletableFuture<Thread>();
        try (LockEngine engine = LockEngine.builder(backend).time(time).threads(few).start()) {
            engine.manager(ManagerDefaults.STANDARD).lock("a")
                    .callAsync(() -> Uni.createFrom().item(() -> body.complete(Thread.currentThread())))
                    .subscribe().with(done -> after.complete(Thread.currentThread()), after::completeExceptionally);
            full = true;
            backend.grant();
            time.advance(PATIENCE);
            assertThat(body.get(10, TimeUnit.SECONDS).getName()).isEqualTo("quarkus-lock-spare");
            answers.poll(10, TimeUnit.SECONDS).run();
            time.advance(PATIENCE);
            assertThat(after.get(10, TimeUnit.SECONDS).getName()).isEqualTo("quarkus-lock-spare");
            assertThat(backend.released).containsExactlyElementsOf(backend.granted);
        }
    }

    @Test
    void fault471_rejectionAfterCloseIsPropagated() {
        threads.close();
        full = true;
        assertThatThrownBy(() -> threads.here().execute(() -> {
        })).isInstanceOf(RejectedExecutionException.class);
    }

    /** The executor may run the task directly. */
    @Test
    void fault471_rejectionThrownByTheTaskIsNotRetried() {
        var times = new AtomicInteger();
        var direct = new SpareThreads(new CallerThreads() {
            @Override
            public boolean blockingForbidden() {
                return false;
            }

            @Override
            public Executor here() {
                return workers();
            }

            @Override
            public Executor workers() {
                return SINGLE;
            }
        }, time, loader);
        assertThatThrownBy(() -> direct.here().execute(() -> {
            times.incrementAndGet();
            throw new RejectedExecutionException("the work's own");
        })).hasMessage("the work's own");
        time.advance(PATIENCE);
        assertThat(times).hasValue(1);
        assertThat(time.timers()).isZero();
    }
}
