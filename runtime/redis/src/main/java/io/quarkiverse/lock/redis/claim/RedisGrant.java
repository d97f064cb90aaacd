package io.quarkiverse.lock.redis.claim;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant, and what its release has to know of how it came about. */
public final class RedisGrant extends Grant {

    private final Attempts attempts;

    /** A release was sent before: that it finds nothing does not mean that the grant was lost. Event loop only. */
    public boolean releaseTried;
    /** It is to end earlier than the server may know: a renewal that said so had no answer. Event loop only. */
    public boolean endsEarlier;
    private long newest;

    RedisGrant(Claim claim, Attempts attempts, long fence, long sentAt) {
        super(claim, fence, sentAt);
        this.attempts = attempts;
    }

    /** Pushed, and not confirmed yet. */
    RedisGrant(Claim claim, Attempts attempts, long fence, long sentAt, long claimLease) {
        super(claim, fence, sentAt, claimLease, true);
        this.attempts = attempts;
    }

    /**
     * Whether this is newer than what was known of those who wait for it: messages and replies overtake each other. Event
     * loop only.
     *
     * @param ticket the last one of the name when it was so; of one ticket, that nobody waits any more is the later news
     */
    boolean isNewest(boolean some, long ticket) {
        long order = 2 * ticket + (some ? 0 : 1);
        if (order < newest) {
            return false;
        }
        newest = order;
        return true;
    }

    public Attempts attempts() {
        return attempts;
    }

    public String token() {
        return claim().token();
    }
}
