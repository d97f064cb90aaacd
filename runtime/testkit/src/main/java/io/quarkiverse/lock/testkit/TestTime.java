package io.quarkiverse.lock.redis;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.spi.LockTime;

/** Real time, that can be made to jump, and whose timers can be kept from running: then nothing is ever asked again. */
final class TestTime implements LockTime {

    private static final SystemTime REAL = new SystemTime();

    volatile long aheadNanos;
    volatile boolean timers = true;

    @Override
    public long nanoTime() {
        return REAL.nanoTime() + aheadNanos;
    }

    @Override
    public long wallMillis() {
        return REAL.wallMillis();
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
