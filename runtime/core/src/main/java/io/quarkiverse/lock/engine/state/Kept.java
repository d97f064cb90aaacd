package io.quarkiverse.lock.engine.state;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A grant that this JVM keeps for a while though nobody holds it, so that its next caller need not ask for it. All but the
 * doubt is guarded by the queue.
 */
public final class Kept {

    public final Lease lease;
    /** It is given back then. */
    public final long until;
    /** The backend is told then that it is not kept for the whole lease any more. */
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
     * From here on it is good for what is left of its time here, whatever becomes of what is sent to say so; nobody gets it
     * before the answer, since what is sent for a new holder must not be overtaken by it.
     *
     * @return {@code false} if the backend keeps it for no longer anyway
     */
    public boolean shorten(Sent sent) {
        shortening = lease.shortenedTo(until - sent.nanos(), sent);
        shortened = true;
        return shortening;
    }

    /** The backend has done so. */
    public void answered() {
        shortening = false;
    }

    /** It is about to be given back: until nobody can say when the backend ends it by itself, that is tried for. */
    void leaving() {
        if (shortening) {
            lease.grant.leaseNanos(leaseNanos);
        }
    }

    /** Whether the backend was told already. */
    public boolean shortened() {
        return shortened;
    }

    /** For how long it is to be kept when somebody holds it again. */
    public long leaseNanos() {
        return leaseNanos;
    }

    void doubt() {
        doubted = true;
    }

    /** Whether it should go back rather than to anybody here. */
    public boolean unwanted(long now) {
        return doubted || now - until >= 0 || lease.wantedElsewhere();
    }

    /** Gives it to a new hold, if it is right for it. */
    public boolean goTo(LockHold hold, long now) {
        if (shortening || unwanted(now) || !lease.mayBeTakenBy(hold, now)) {
            return false;
        }
        lease.queue.taken();
        lease.takenBy(hold, now);
        return true;
    }
}
