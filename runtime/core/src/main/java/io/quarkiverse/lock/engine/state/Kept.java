package io.quarkiverse.lock.engine.state;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A grant that this JVM keeps for a while without a holder, so that its next caller need not ask for it. Everything but the
 * doubt is guarded by the queue.
 */
public final class Kept {

    public final Lease lease;
    /** When it is given back. */
    public final long until;
    /** When the backend is told to keep it for less than the whole lease. */
    public final long shortenAt;
    final CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
    private final long leaseNanos;
    private boolean shortening;
    private boolean shortened;
    private volatile boolean doubted;

    public Kept(Lease lease, long now, long until) {
        this.lease = lease;
        this.until = until;
        this.shortenAt = now + (until - now) / 4;
        this.leaseNanos = lease.grant.leaseNanos();
    }

    /**
     * From now on, it is valid only for the rest of its time here, even if the request to shorten it never arrives. Nobody gets
     * it before the answer: otherwise the request might arrive after those sent for a new holder.
     *
     * @return {@code false} if the backend keeps it no longer than that anyway
     */
    public boolean shorten(Sent sent) {
        shortening = lease.shortenedTo(until - sent.nanos(), sent);
        shortened = true;
        return shortening;
    }

    /** The backend has shortened it. */
    public void answered() {
        shortening = false;
    }

    /** It is about to be given back. If that fails, it is retried until the lease must have ended at the backend. */
    void leaving() {
        if (shortening) {
            lease.grant.leaseNanos(leaseNanos);
        }
    }

    /** Whether it was shortened, or the backend keeps it no longer anyway. */
    public boolean shortened() {
        return shortened;
    }

    /** How long to keep it when somebody holds it again. */
    public long leaseNanos() {
        return leaseNanos;
    }

    void doubt() {
        doubted = true;
    }

    /** Whether it should go back instead of to a caller here. */
    public boolean unwanted(long now) {
        return doubted || now - until >= 0 || lease.wantedElsewhere();
    }

    /** Gives it to a new hold, if it suits. */
    public boolean goTo(LockHold hold, long now) {
        if (shortening || unwanted(now) || !lease.mayBeTakenBy(hold, now)) {
            return false;
        }
        lease.queue.taken();
        lease.takenBy(hold, now);
        return true;
    }
}
