package io.quarkiverse.lock.redis;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant, and what its release has to know of how it came about. */
final class RedisGrant extends Grant {

    private final Attempts attempts;

    /** A release was sent before: that it finds nothing does not mean that the grant was lost. Loop only. */
    boolean releaseTried;

    RedisGrant(Claim claim, Attempts attempts, long fence, long sentAt) {
        super(claim, fence, sentAt);
        this.attempts = attempts;
    }

    /** Pushed, and not confirmed yet. */
    RedisGrant(Claim claim, Attempts attempts, long fence, long sentAt, long claimLease) {
        super(claim, fence, sentAt, claimLease, true);
        this.attempts = attempts;
    }

    Attempts attempts() {
        return attempts;
    }

    String token() {
        return claim().token();
    }
}
