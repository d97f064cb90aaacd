package io.quarkiverse.lock.benchmarks;

import java.util.concurrent.locks.LockSupport;

/**
 * The work of threads: cycles from one time to another.
 *
 * @param startAt on {@link System#nanoTime}, which the JVMs of one machine share
 * @param nanos the duration
 * @param holdNanos how long to hold the lock each time
 * @param waits whether to time the wait for the lock, instead of the whole cycle
 */
record Load(long startAt, long nanos, long holdNanos, boolean waits) {

    /** A timer may come this late. */
    private static final long TIMER_SLACK = 200_000;

    static Load cycles(long nanos) {
        return new Load(System.nanoTime(), nanos, 0, false);
    }

    static Load waits(long nanos) {
        return new Load(System.nanoTime(), nanos, 0, true);
    }

    void awaitStart() {
        for (long left; (left = startAt - System.nanoTime()) > 0;) {
            LockSupport.parkNanos(left);
        }
    }

    boolean over(long now) {
        return now - startAt >= nanos;
    }

    /** Sleeps for most of the hold and spins for the rest: sleeping alone takes longer than requested. */
    void hold(long since) {
        if (holdNanos > TIMER_SLACK) {
            LockSupport.parkNanos(holdNanos - TIMER_SLACK);
        }
        while (System.nanoTime() - since < holdNanos) {
            Thread.onSpinWait();
        }
    }
}
