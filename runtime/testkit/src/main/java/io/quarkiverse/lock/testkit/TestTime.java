package io.quarkiverse.lock.testkit;

import java.time.Duration;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.spi.LockTime;

/** Real time. Its clocks can be made to jump, and its timers can be kept from running: then nothing is ever asked again. */
public final class TestTime implements LockTime {

    private static final SystemTime REAL = new SystemTime();

    public volatile long aheadNanos;
    public volatile boolean timers = true;
    private volatile long shiftMillis;

    /** Jumps as if somebody had set the clock, or as if the machine had been suspended. */
    public void shiftWallClock(Duration shift) {
        shiftMillis += shift.toMillis();
    }

    @Override
    public long nanoTime() {
        return REAL.nanoTime() + aheadNanos;
    }

    @Override
    public long wallMillis() {
        return REAL.wallMillis() + shiftMillis;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return timers ? REAL.schedule(delayNanos, task) : () -> {
        };
    }

    @Override
    public void park(Object blocker, long nanos) {
        REAL.park(blocker, nanos);
    }
}
