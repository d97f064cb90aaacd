package io.quarkiverse.lock.engine;

import io.quarkiverse.lock.spi.LockTime;

/** Runs something at a reading of the clock, on the thread that reads it. */
final class ReadClock extends ForwardedTime {

    private int readingsLeft;
    private Runnable then;

    ReadClock(LockTime time) {
        super(time);
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
        return super.nanoTime();
    }
}
