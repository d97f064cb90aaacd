package io.quarkiverse.lock.engine.state;

import io.quarkiverse.lock.spi.LockTime;

/**
 * When a renewal was sent, by both clocks: its answer confirms the state at that time. It does not cover a suspension of the
 * machine, or a doubt that arises, while the answer is on its way.
 *
 * @param nanos the monotonic clock
 * @param clockGap how far the wall clock was ahead of the monotonic one, see {@link LeaseRules#clockGap}
 */
public record Sent(long nanos, long clockGap) {

    public static Sent now(LockTime time) {
        return new Sent(time.nanoTime(), LeaseRules.clockGap(time));
    }
}
