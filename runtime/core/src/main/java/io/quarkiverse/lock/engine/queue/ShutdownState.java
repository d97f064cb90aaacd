package io.quarkiverse.lock.engine.queue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.quarkiverse.lock.engine.state.HoldSettings;

/** Whether the end of the engine has begun, and what it waits for. */
public final class ShutdownState {

    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private final AtomicInteger releasesUnderWay = new AtomicInteger();
    private volatile boolean begun;
    private volatile boolean closed;

    public void begin() {
        begun = true;
    }

    public boolean begun() {
        return begun;
    }

    public void close() {
        closed = true;
    }

    public boolean closed() {
        return closed;
    }

    void releaseStarted() {
        releasesUnderWay.incrementAndGet();
    }

    void releaseEnded() {
        if (releasesUnderWay.decrementAndGet() == 0) {
            holdGone();
        }
    }

    public boolean noReleaseUnderWay() {
        return releasesUnderWay.get() == 0;
    }

    /** Something has ended: threads that wait for that look again. */
    void holdGone() {
        if (!begun) {
            return;
        }
        guard.lock();
        try {
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }

    public boolean await(Duration atMost, BooleanSupplier condition) {
        long left = HoldSettings.saturated(atMost);
        guard.lock();
        try {
            while (!condition.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return condition.getAsBoolean();
        } finally {
            guard.unlock();
        }
    }
}
