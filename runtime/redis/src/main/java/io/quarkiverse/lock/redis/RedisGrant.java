package io.quarkiverse.lock.redis;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant, and what its release has to know of how it came about. */
final class RedisGrant extends Grant {

    private final Attempts attempts;
    private final String token;

    /** When it was last confirmed; what is long past that was forgotten by its owner. */
    volatile long confirmedAt;
    /** A release was sent before: that it finds nothing does not mean that the grant was lost. Loop only. */
    boolean releaseTried;

    RedisGrant(Claim claim, Attempts attempts, long fence, long sentAt) {
        super(claim, fence, sentAt);
        this.attempts = attempts;
        this.token = claim.token();
        this.confirmedAt = sentAt;
    }

    /** Pushed, and not confirmed yet. */
    RedisGrant(Claim claim, Attempts attempts, long fence, long sentAt, long claimLease) {
        super(claim, fence, sentAt, claimLease, true);
        this.attempts = attempts;
        this.token = claim.token();
        this.confirmedAt = sentAt;
    }

    Attempts attempts() {
        return attempts;
    }

    String token() {
        return token;
    }
}
