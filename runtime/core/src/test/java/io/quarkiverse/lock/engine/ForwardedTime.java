package io.quarkiverse.lock.engine;

import io.quarkiverse.lock.spi.LockTime;

/** Another time, of which a test changes something. */
class ForwardedTime implements LockTime {

    private final LockTime time;

    ForwardedTime(LockTime time) {
        this.time = time;
    }

    @Override
    public long nanoTime() {
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
