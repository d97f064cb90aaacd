package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.jboss.logging.Logger;

/**
 * Aborts the connections of overdue steps. A separate thread checks them periodically while there are any steps. The driver's
 * network timeout is no alternative: with it, a read from a socket takes the JDK several system calls instead of one, a good
 * part of the cost of a short statement.
 */
public final class StatementWatchdog implements StepLimit {

    private static final Logger LOG = Logger.getLogger(StatementWatchdog.class);
    private static final long LOOK_EVERY_MILLIS = 50;
    private static final long LONGEST_ABORT = TimeUnit.SECONDS.toNanos(1);

    /** Removing a step from this set decides how it ends: either the step itself does so, or the thread that aborts it. */
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor clock;

    public StatementWatchdog() {
        clock = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "quarkus-lock-jpa-overdue"));
        clock.setKeepAliveTime(10, TimeUnit.SECONDS);
        clock.allowCoreThreadTimeOut(true);
    }

    private static final class Running {

        private final Connection physical;
        private final long deadline;
        private final Thread thread = Thread.currentThread();
        /** Used by the checking thread only. */
        private boolean found;
        private volatile boolean aborted;

        Running(Connection physical, long deadline) {
            this.physical = physical;
            this.deadline = deadline;
        }
    }

    @Override
    public <T> T within(long deadline, Connection connection, Step<T> step) throws SQLException {
        long earliest = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MILLIS);
        // The driver's own connection: aborting the pool's would end it for the pool only, not for the database or a reader
        var entry = new Running(connection.unwrap(Connection.class), deadline - earliest > 0 ? deadline : earliest);
        running.add(entry);
        lookLater();
        try {
            return step.run(new LockConnection(connection));
        } finally {
            if (!running.remove(entry)) {
                awaitAbort(entry);
            }
        }
    }

    /** Waits for the abort. If the connection were back in the pool by then, somebody else might be using it. */
    private static void awaitAbort(Running overdue) {
        long patience = System.nanoTime() + LONGEST_ABORT;
        boolean interrupted = false;
        while (!overdue.aborted) {
            long left = patience - System.nanoTime();
            if (left <= 0) {
                // For the driver it is closed all the same
                LOG.debug("A connection whose database does not answer takes its time to end");
                break;
            }
            LockSupport.parkNanos(overdue, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void lookLater() {
        if (!looking.get() && looking.compareAndSet(false, true)) {
            clock.schedule(this::look, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        try {
            long now = System.nanoTime();
            for (Running each : running) {
                if (!each.found && now - each.deadline >= 0) {
                    // On a separate thread, as a connection may want to say goodbye to a server that does not listen
                    daemon(() -> abort(each), "quarkus-lock-jpa-abort").start();
                    each.found = true;
                }
            }
        } finally {
            looking.set(false);
            if (!running.isEmpty()) {
                lookLater();
            }
        }
    }

    private void abort(Running overdue) {
        if (!running.remove(overdue)) {
            return; // It has ended just now
        }
        try {
            overdue.physical.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            LOG.debugf(e, "A connection whose database does not answer could not be ended");
        } finally {
            overdue.aborted = true;
            LockSupport.unpark(overdue.thread);
        }
    }

    private static Thread daemon(Runnable task, String name) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Ends the thread. Running steps are watched to their end: a hanging one must not hang for ever. */
    @Override
    public void close() {
        clock.setKeepAliveTime(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }
}
