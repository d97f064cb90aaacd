package io.quarkiverse.lock.jpa.claim;

import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant, and what its release needs to know about its history. */
public final class JpaGrant extends Grant {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ErrorMessages errors;
    private final Attempts attempts;
    private final String id;
    private final String token;

    /** When it was last confirmed. If that is long ago, its owner has forgotten it. */
    public volatile long confirmedAt;
    /** It excludes all others in the database. Once a downgrade has been sent, this is unknown until the answer. */
    public volatile boolean alone;
    /**
     * It is to end earlier than before, and the database has not confirmed that yet: a renewal alone never shortens a lease.
     */
    public volatile boolean shortening;
    /** Others have been seen waiting: its release should wake them at once. */
    public volatile boolean awaited;
    /** It was ended by force. */
    volatile boolean ended;
    /** A release was sent before: if another one finds nothing, that does not mean the grant was lost. */
    public volatile boolean releaseTried;

    public JpaGrant(Claim claim, String id, ErrorMessages errors, Attempts attempts, long fence, long sentAt) {
        super(claim, fence, sentAt);
        this.errors = errors;
        this.attempts = attempts;
        this.id = id;
        this.token = claim.token();
        this.confirmedAt = sentAt;
        this.alone = claim.exclusive();
    }

    @Override
    public void leaseNanos(long nanos) {
        LockBackendException tooLong = errors.tooLong(name(), nanos);
        if (tooLong != null) {
            throw tooLong;
        }
        super.leaseNanos(nanos);
    }

    /**
     * For how long to renew it. What is left of {@code holdAtLeast} differs from grant to grant, and those with the same lease
     * are renewed together: up to a tenth may be added.
     */
    public long renewalNanos() {
        long lease = leaseNanos();
        long rounded = (lease + SECOND - 1) / SECOND * SECOND;
        return lease < 10 * SECOND || errors.tooLong(name(), rounded) != null ? lease : rounded;
    }

    public Attempts attempts() {
        return attempts;
    }

    public String id() {
        return id;
    }

    public String token() {
        return token;
    }

    /**
     * The acquire requests of one claim. A request without a reply may wait in some buffer and still be executed, but not after
     * the database time that it carries. Until then, the cleanup of the claim has to allow for that.
     */
    public static final class Attempts {

        private volatile boolean any;
        private volatile long openUntil;
        private volatile boolean open;

        /** Notes that a request is being sent that is valid until then ({@link System#nanoTime}). */
        public void sending(long until) {
            any = true;
            if (!open || until - openUntil > 0) {
                openUntil = until;
            }
        }

        public void failedWithoutReply() {
            open = true;
        }

        /** Whether the database may contain anything of the claim. */
        public boolean any() {
            return any;
        }

        /** How long from now a request of the claim may still be executed; not positive if none. */
        public long openFor() {
            return open ? openUntil - System.nanoTime() : 0;
        }
    }
}
