package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

/**
 * Aborts the connections of steps that are overdue, looking now and then from a thread of its own while there are any. Not by
 * the driver's network timeout: reading from a socket that has one takes the JDK several system calls instead of one, a good
 * part of what a short statement costs.
 */
final class Overdue implements StepLimit {

    private static final Logger LOG = Logger.getLogger(JpaLockBackend.class);
    private static final long LOOK_EVERY_MILLIS = 50;

    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor clock;

    Overdue() {
        clock = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "quarkus-lock-jpa-overdue"));
        clock.setKeepAliveTime(10, TimeUnit.SECONDS);
        clock.allowCoreThreadTimeOut(true);
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private static final class Running {

        private final Connection connection;
        private final long deadline;
        private final CountDownLatch aborted = new CountDownLatch(1);

        Running(Connection connection, long deadline) {
            this.connection = connection;
            this.deadline = deadline;
        }
    }

    @Override
    public <T> T within(long deadline, Connection connection, LockDatabase.Step<T> step) throws SQLException {
        var entry = new Running(connection, Math.max(deadline, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50)));
        running.add(entry);
        if (!looking.get()) {
            lookLater();
        }
        try {
            return step.run(new LockConnection(connection));
        } finally {
            if (!running.remove(entry)) {
                awaitAbort(entry);
            }
        }
    }

    /** Done at the last moment: the connection must not be back in the pool when it is aborted. */
    private static void awaitAbort(Running entry) {
        boolean interrupted = Thread.interrupted();
        try {
            if (!entry.aborted.await(1, TimeUnit.SECONDS)) {
                LOG.debug("A connection whose database does not answer takes its time to end");
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void lookLater() {
        if (looking.compareAndSet(false, true)) {
            try {
                clock.schedule(this::look, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                looking.set(false); // it is closed, and so are those who could have steps to take
            }
        }
    }

    private void look() {
        long now = System.nanoTime();
        for (Running each : running) {
            if (now - each.deadline >= 0 && running.remove(each)) {
                // On a thread of its own, as some connections want to say good-bye to who does not listen
                daemon(() -> abort(each), "quarkus-lock-jpa-abort").start();
            }
        }
        looking.set(false);
        if (!running.isEmpty()) {
            lookLater();
        }
    }

    private static void abort(Running overdue) {
        try {
            overdue.connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            LOG.debugf(e, "A connection whose database does not answer could not be ended");
        } finally {
            overdue.aborted.countDown();
        }
    }

    private static Thread daemon(Runnable task, String name) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() {
        clock.shutdown();
    }
}
