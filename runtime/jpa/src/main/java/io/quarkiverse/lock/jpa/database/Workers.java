package io.quarkiverse.lock.jpa.database;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that talk to the database, because JDBC blocks. Callers' threads can rarely do so, see {@link CallerTurns}: they
 * may be event loops, or in a transaction that the connection would join. Idle threads end.
 */
public final class Workers {

    private final ThreadPoolExecutor steps;
    private final ThreadPoolExecutor renewals;
    private final ThreadPoolExecutor idle;
    private final Semaphore connections;

    /** @param connections the connections that may be used at once; each step takes one */
    public Workers(int threads, Semaphore connections) {
        this(threads, connections, Thread::new);
    }

    /** @param maker may fail to make a thread */
    public Workers(int threads, Semaphore connections, ThreadFactory maker) {
        this.connections = connections;
        steps = pool("quarkus-lock-jpa-", threads, maker);
        // Separate: claims that wait for connections must not block the renewal of held locks
        renewals = pool("quarkus-lock-jpa-renewal-", 1, maker);
        // Separate: many grants may become idle at once, and must delay neither claims nor releases
        idle = pool("quarkus-lock-jpa-idle-", 1, maker);
    }

    private static ThreadPoolExecutor pool(String prefix, int threads, ThreadFactory maker) {
        var number = new AtomicInteger();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        var pool = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = maker.newThread(task);
            thread.setName(prefix + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setContextClassLoader(loader);
            return thread;
        });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Runs it soon; false if the threads have been shut down. If the JVM has no thread to give, throws its
     * {@link OutOfMemoryError}.
     */
    public boolean run(Runnable step) {
        return run(steps, connected(step));
    }

    /** The same for work on locks that nobody holds: one at a time. */
    public boolean idle(Runnable step) {
        return run(idle, connected(step));
    }

    private Runnable connected(Runnable step) {
        return () -> {
            connections.acquireUninterruptibly();
            try {
                step.run();
            } finally {
                connections.release();
            }
        };
    }

    public boolean renew(Runnable step) {
        return run(renewals, step);
    }

    private static boolean run(ThreadPoolExecutor pool, Runnable step) {
        try {
            pool.execute(step);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    public void close() {
        steps.shutdown();
        renewals.shutdown();
        idle.shutdown();
    }
}
