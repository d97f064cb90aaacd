package io.quarkiverse.lock.zookeeper.session;

import io.quarkiverse.lock.spi.LockTime;

/** The time, and tasks for later, which no longer run when the backend is closed. */
public final class Timers {

    private final LockTime time;
    private volatile boolean stopped;

    public Timers(LockTime time) {
        this.time = time;
    }

    public long nanoTime() {
        return time.nanoTime();
    }

    public long wallMillis() {
        return time.wallMillis();
    }

    public void later(long nanos, Runnable task) {
        if (!stopped) {
            time.schedule(nanos, task);
        }
    }

    public void stop() {
        stopped = true;
    }
}
