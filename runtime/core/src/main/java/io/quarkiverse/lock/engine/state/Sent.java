package io.quarkiverse.lock.engine.state;

import io.quarkiverse.lock.spi.LockTime;

/**
 * When a renewal was sent, by both clocks: what its answer confirms is what was so then. A machine that is suspended, or a
 * doubt that arises, while the answer is on its way is not covered by it.
 *
 * @param nanos by the monotonic clock
 * @param clockGap how far the wall clock was ahead of the monotonic one, see {@link LeaseRules#clockGap}
 */
public record Sent(long nanos, long clockGap) {

    public static Sent now(LockTime time) {
        return new Sent(time.nanoTime(), LeaseRules.clockGap(time));
    }
}
