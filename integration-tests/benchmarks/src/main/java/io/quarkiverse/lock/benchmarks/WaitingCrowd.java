package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/** Threads that want the same lock all the time, each as if it were a JVM. */
final class WaitingCrowd {

    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long DRAIN = TimeUnit.SECONDS.toNanos(5);

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger handOvers = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private int inside;
    private volatile boolean over;

    WaitingCrowd(List<Mutex> locks) {
        for (Mutex lock : locks) {
            var thread = new Thread(() -> compete(lock), "jvm-" + threads.size());
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    private void compete(Mutex lock) {
        try {
            while (!over) {
                lock.lock();
                if (++inside != 1) {
                    throw new IllegalStateException("Two hold it");
                }
                if (!over) {
                    LockSupport.parkNanos(HOLD);
                    handOvers.incrementAndGet();
                }
                inside--;
                lock.unlock();
            }
        } catch (RuntimeException e) {
            if (!over) {
                failure.compareAndSet(null, e);
            }
        }
    }

    /** The number so far. Fails if one of them has failed, since the others may wait for its lock forever. */
    int handOvers() {
        throwFailure();
        return handOvers.get();
    }

    /** Each gets it once more and leaves. If that takes long, closing its client ends the rest. */
    void end() {
        over = true;
        long end = System.nanoTime() + DRAIN;
        for (Thread each : threads) {
            try {
                each.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        throwFailure();
    }

    private void throwFailure() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException(failed);
        }
    }
}
