package io.quarkiverse.lock.engine.state;

import io.quarkiverse.lock.spi.LockTime;

/**
 * When a renewal was sent, by both clocks: what its answer confirms is what was so then. A machine that is suspended, or a
 * doubt that arises, while the answer is on its way is not covered by it.
 *
 * @param nanos by the monotonic clock
 * @param clockGap how far the wall clock was ahead of the monotonic one, in milliseconds
 */
public record Sent(long nanos, long clockGap) {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int READINGS = 4;

    public static Sent now(LockTime time) {
        return new Sent(time.nanoTime(), clockGap(time));
    }

    /** Read anew if the thread seems to have lost its core between the clocks, which would make them seem to part. */
    public static long clockGap(LockTime time) {
        long wall;
        long before;
        long after = time.nanoTime();
        int tries = 0;
        do {
            before = after;
            wall = time.wallMillis();
            after = time.nanoTime();
        } while (after - before > NANOS_PER_MILLI && ++tries < READINGS);
        return wall - after / NANOS_PER_MILLI;
    }
}
