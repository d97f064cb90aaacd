package io.quarkiverse.lock.engine;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.spi.LockTime;

/** Real time. Its timers run on a single thread of its own; application code never runs there. */
public final class SystemTime implements LockTime, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(SystemTime.class);

    private final ScheduledThreadPoolExecutor timers;

    public SystemTime() {
        timers = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "quarkus-lock-timer");
            thread.setDaemon(true);
            return thread;
        });
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        ScheduledFuture<?> future = timers.schedule(() -> run(task), Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            LOG.error("A timer task of Quarkus Lock failed; please report this", e);
        }
    }

    @Override
    public void park(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}
