package io.quarkiverse.lock.testkit.random;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.spi.LockTime;

/** Real time that counts the timers that have neither run nor been cancelled: at the end there must be none. */
final class CountedTime implements LockTime, AutoCloseable {

    private final SystemTime real = new SystemTime();
    private final AtomicInteger timers = new AtomicInteger();

    int timers() {
        return timers.get();
    }

    @Override
    public long nanoTime() {
        return real.nanoTime();
    }

    @Override
    public long wallMillis() {
        return real.wallMillis();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        timers.incrementAndGet();
        var over = new AtomicBoolean();
        Timer timer = real.schedule(delayNanos, () -> {
            if (over.compareAndSet(false, true)) {
                timers.decrementAndGet();
            }
            task.run();
        });
        return () -> {
            timer.cancel();
            if (over.compareAndSet(false, true)) {
                timers.decrementAndGet();
            }
        };
    }

    @Override
    public void park(Object blocker, long nanos) {
        real.park(blocker, nanos);
    }

    @Override
    public void close() {
        real.close();
    }
}
