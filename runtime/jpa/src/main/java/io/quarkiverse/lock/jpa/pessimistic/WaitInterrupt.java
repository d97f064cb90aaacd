package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.spi.LockTime;

/**
 * Ends a wait in the database when the waiting thread is interrupted, which JDBC does not notice: it checks the thread
 * periodically, and cancels the statement.
 */
public final class WaitInterrupt implements RowLock.Running, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(WaitInterrupt.class);
    private static final long EVERY = TimeUnit.MILLISECONDS.toNanos(50);

    private final Thread thread = Thread.currentThread();
    private final Workers workers;
    private final LockTime time;
    private final ReentrantLock guard = new ReentrantLock();
    private @Nullable Statement statement;
    private LockTime.@Nullable Timer timer;
    private boolean over;

    WaitInterrupt(Workers workers, LockTime time) {
        this.workers = workers;
        this.time = time;
    }

    @Override
    public void statement(Statement running) {
        guard.lock();
        try {
            statement = running;
            if (timer == null) {
                timer = time.schedule(EVERY, this::look);
            }
        } finally {
            guard.unlock();
        }
    }

    private void look() {
        guard.lock();
        try {
            if (over) {
                return;
            }
            if (!thread.isInterrupted() || !cancels()) {
                timer = time.schedule(EVERY, this::look);
            }
        } finally {
            guard.unlock();
        }
    }

    private boolean cancels() {
        try {
            return workers.renew(this::cancel);
        } catch (RuntimeException | Error e) { // there may be no thread available; later there may
            return false;
        }
    }

    /**
     * Under the guard, although this may take a moment: the statement must not end, and another start, before the cancellation.
     */
    private void cancel() {
        guard.lock();
        try {
            if (!over && statement != null) {
                statement.cancel();
            }
        } catch (SQLException e) {
            LOG.debugf(e, "An interrupted wait for a lock could not be ended early");
        } finally {
            guard.unlock();
        }
    }

    @Override
    public void close() {
        guard.lock();
        try {
            over = true;
            if (timer != null) {
                timer.cancel();
            }
        } finally {
            guard.unlock();
        }
    }
}
