package io.quarkiverse.lock.engine;

import io.quarkiverse.lock.spi.LockTime;

/** Runs something at a reading of the clock, on the thread that reads it. */
final class ReadClock implements LockTime {

    private final LockTime time;
    private int readingsLeft;
    private Runnable then;

    ReadClock(LockTime time) {
        this.time = time;
    }

    void atReading(int reading, Runnable run) {
        readingsLeft = reading;
        then = run;
    }

    boolean reached() {
        return readingsLeft == 0;
    }

    @Override
    public long nanoTime() {
        if (readingsLeft > 0 && --readingsLeft == 0) {
            then.run();
        }
        return time.nanoTime();
    }

    @Override
    public long wallMillis() {
        return time.wallMillis();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return time.schedule(delayNanos, task);
    }

    @Override
    public void park(Object blocker, long nanos) {
        time.park(blocker, nanos);
    }
}
