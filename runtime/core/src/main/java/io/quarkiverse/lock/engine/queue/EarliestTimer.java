package io.quarkiverse.lock.engine.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.LockTime.Timer;

/**
 * One timer for many reasons: it runs its task at the earliest of the times asked for since the last run. If there is no memory
 * for an earlier timer, the current one remains.
 */
final class EarliestTimer {

    private static final long MEMORY_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

    private final LockTime time;
    private final Runnable task;
    private final ReentrantLock guard = new ReentrantLock();
    private volatile long nextRun = Long.MAX_VALUE;
    private @Nullable Timer timer;
    private boolean stopped;

    EarliestTimer(LockTime time, Runnable task) {
        this.time = time;
        this.task = task;
    }

    /** @param at {@link Long#MAX_VALUE} for never */
    void runAt(long at) {
        if (at >= nextRun) {
            return;
        }
        guard.lock();
        try {
            if (at >= nextRun || stopped) {
                return;
            }
            Timer earlier = time.schedule(at - time.nanoTime(), this::run); // this may fail: nothing has changed then
            cancel();
            timer = earlier;
            nextRun = at;
        } finally {
            guard.unlock();
        }
    }

    /** {@link #runAt} for the task itself, after which nobody else might ask for a run: without memory, it tries again. */
    void runAgainAt(long at) {
        for (;;) {
            try {
                runAt(at);
                return;
            } catch (OutOfMemoryError e) {
                time.park(this, MEMORY_PAUSE);
            }
        }
    }

    private void run() {
        guard.lock();
        try {
            nextRun = Long.MAX_VALUE; // before the task looks: what it does not see any more asks for a run of its own
            cancel(); // another timer may have followed when this one could no longer be cancelled
        } finally {
            guard.unlock();
        }
        task.run();
    }

    private void cancel() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    void stop() {
        guard.lock();
        try {
            stopped = true;
            cancel();
        } finally {
            guard.unlock();
        }
    }
}
