package io.quarkiverse.lock.redis.quorum;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant by a majority. */
final class QuorumGrant extends Grant {

    private final Asks asks;
    private final QuorumErrors errors;

    /** A release was sent before, so finding nothing does not mean that the grant was lost. Event loop only. */
    boolean releaseTried;
    /** It must end earlier than the servers may know. Event loop only. */
    boolean endsEarlier;
    /**
     * How often a lease was requested for it: of two requests for different leases, a server goes by the later one. Event loop
     * only.
     */
    int leaseRequests;
    /** Which servers have said that it was taken by force, as bits. Event loop only. */
    long forcedAt;
    /** How many servers have written its fence for its claim. Event loop only. */
    int written;
    /** A reminder to servers that do not have it is about to be sent. Event loop only. */
    boolean remindedSoon;
    /** How often this JVM has heard that others wait. Event loop only. */
    int waiterNews;

    QuorumGrant(Claim claim, long fence, long sentAt, Asks asks, QuorumErrors errors) {
        super(claim, fence, sentAt);
        this.asks = asks;
        this.errors = errors;
    }

    Asks asks() {
        return asks;
    }

    @Override
    public void leaseNanos(long nanos) throws LockBackendException {
        if (errors.tooLong(nanos)) {
            throw errors.lease(name(), nanos);
        }
        super.leaseNanos(nanos);
    }
}
