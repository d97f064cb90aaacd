package io.quarkiverse.lock.engine.thread;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockTime;

/**
 * Leads callers back even when all workers are busy: they may be waiting for what the callers are about to hear, and then none
 * would ever be free. What no worker has begun within 100 ms runs on a spare thread, as if that were its caller's place, and
 * so does what the workers reject because their queue is full: it must not run on the thread that brings the news.
 * <p>
 * A spare thread runs whatever waits for a worker, and ends when nothing does. The spare threads may be blocked as well, so
 * every 100 ms another one comes to the help of what still waits: nothing waits for ever, and an application that is merely
 * slow gets few of them.
 */
public final class SpareThreads implements ForwardingCallerThreads {

    private static final long PATIENCE_NANOS = 100_000_000;
    private static final long IDLE_SECONDS = 5;

    private final CallerThreads threads;
    private final LockTime time;
    private final @Nullable ClassLoader loader;
    private final ThreadPoolExecutor spare;
    /** What workers were asked to run, the oldest first; also holds what has begun since the last look. */
    private final Queue<Work> waiting = new ConcurrentLinkedQueue<>();
    /** Whether a look is due. */
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile boolean closed;

    /** @param loader the application's */
    public SpareThreads(CallerThreads threads, LockTime time, @Nullable ClassLoader loader) {
        this.threads = threads;
        this.time = time;
        this.loader = loader;
        spare = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
                SpareThreads::daemon);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "quarkus-lock-spare");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public CallerThreads threads() {
        return threads;
    }

    @Override
    public Executor here() {
        Executor here = threads.here();
        Executor onAnyThread = threads.onAnyThread(here);
        return onAnyThread == here ? here : new Place(here, onAnyThread);
    }

    @Override
    public Executor onAnyThread(Executor here) {
        return here instanceof Place place ? place.onAnyThread : threads.onAnyThread(here);
    }

    /** No more time passes: from now on a spare thread runs at once what no worker has begun. */
    public void close() {
        closed = true;
        spare.execute(this::help);
    }

    private void look() {
        waiting.removeIf(Work::begun);
        Work oldest = waiting.peek();
        if (oldest == null) {
            looking.set(false);
            if (!waiting.isEmpty()) {
                lookLater(); // it came before this was known
            }
            return;
        }
        long left = oldest.since + PATIENCE_NANOS - time.nanoTime();
        lookIn(left > 0 ? left : PATIENCE_NANOS);
        if (left <= 0) {
            spare.execute(this::help);
        }
    }

    private void lookLater() {
        if (closed) {
            spare.execute(this::help);
        } else if (!looking.get() && looking.compareAndSet(false, true)) {
            lookIn(PATIENCE_NANOS);
        }
    }

    private void lookIn(long nanos) {
        try {
            time.schedule(nanos, this::look);
        } catch (RejectedExecutionException e) {
            spare.execute(this::help); // the engine is being closed
        }
    }

    private void help() {
        for (Work next = waiting.poll(); next != null; next = waiting.poll()) {
            Thread.currentThread().setContextClassLoader(loader);
            next.runOnThisThread();
        }
    }

    /** Where a caller was that any thread can stand in for. */
    private final class Place implements Executor {

        private final Executor here;
        private final Executor onAnyThread;

        Place(Executor here, Executor onAnyThread) {
            this.here = here;
            this.onAnyThread = onAnyThread;
        }

        @Override
        public void execute(Runnable task) {
            Work work = new Work(task, onAnyThread, time.nanoTime());
            try {
                here.execute(work);
            } catch (RejectedExecutionException e) {
                if (closed || work.begun()) { // thrown by the work itself, which needed no other thread
                    throw e;
                }
            }
            if (!work.begun()) {
                waiting.add(work);
                lookLater();
            }
        }
    }

    /** A task that runs once, on whichever thread comes first. */
    private static final class Work implements Runnable {

        /** Empty once it has begun, since the workers may keep this for long. */
        private final AtomicReference<@Nullable Runnable> task;
        private final Executor onAnyThread;
        private final long since;

        Work(Runnable task, Executor onAnyThread, long since) {
            this.task = new AtomicReference<>(task);
            this.onAnyThread = onAnyThread;
            this.since = since;
        }

        boolean begun() {
            return task.get() == null;
        }

        @Override
        public void run() {
            Runnable mine = task.getAndSet(null);
            if (mine != null) {
                mine.run();
            }
        }

        void runOnThisThread() {
            if (!begun()) {
                onAnyThread.execute(this);
            }
        }
    }
}
