package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.spi.LockTime;

/** Real time, but for a wall clock that can be set. */
final class ShiftedTime implements LockTime, AutoCloseable {

    private final SystemTime time = new SystemTime();
    private volatile long shiftMillis;

    void shiftWallClock(Duration shift) {
        shiftMillis += shift.toMillis();
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public long wallMillis() {
        return time.wallMillis() + shiftMillis;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return time.schedule(delayNanos, task);
    }

    @Override
    public void park(Object blocker, long nanos) {
        time.park(blocker, nanos);
    }

    @Override
    public void close() {
        time.close();
    }
}
