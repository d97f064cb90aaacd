package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Whether the end of the engine has begun, and what it waits for. */
final class ShutdownState {

    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private final AtomicInteger releasesUnderWay = new AtomicInteger();
    private volatile boolean begun;
    private volatile boolean closed;

    void begin() {
        begun = true;
    }

    boolean begun() {
        return begun;
    }

    void close() {
        closed = true;
    }

    boolean closed() {
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

    boolean noReleaseUnderWay() {
        return releasesUnderWay.get() == 0;
    }

    /** Something has ended; whoever waits for that looks again. */
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

    boolean await(Duration atMost, BooleanSupplier condition) {
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
