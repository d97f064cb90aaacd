package io.quarkiverse.lock.jpa.database;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that talk to the database, because JDBC blocks: never the callers', which may be event loops, and which may be in
 * a transaction that the connection would become part of. They end when there is nothing to do.
 */
public final class Workers {

    private final ThreadPoolExecutor steps;
    private final ThreadPoolExecutor renewals;
    private final ThreadPoolExecutor idle;
    private final Semaphore connections;

    /** @param connections of those that may be used at once, each step takes one */
    public Workers(int threads, Semaphore connections) {
        this(threads, connections, Thread::new);
    }

    /** @param maker has threads, or not */
    public Workers(int threads, Semaphore connections, ThreadFactory maker) {
        this.connections = connections;
        steps = pool("quarkus-lock-jpa-", threads, maker);
        // Of its own: claims that wait for connections must not keep held locks from being renewed
        renewals = pool("quarkus-lock-jpa-renewal-", 1, maker);
        // Of its own: many may become idle at once, and neither claims nor releases are to stand behind them
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
     * Runs it soon; false if there are no threads any more. Throws what the JVM does where it has no thread to give, an
     * {@link OutOfMemoryError}.
     */
    public boolean run(Runnable step) {
        return run(steps, connected(step));
    }

    /** The same for what concerns locks that nobody holds: one after the other. */
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
