package io.quarkiverse.lock.jpa.claim;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant, and what its release has to know of how it came about. */
public final class JpaGrant extends Grant {

    private final ErrorMessages errors;
    private final Attempts attempts;
    private final String id;
    private final String token;

    /** When it was last confirmed; what is long past that was forgotten by its owner. */
    public volatile long confirmedAt;
    /** It excludes all others in the database. Once a downgrade has been sent, nobody knows until its answer. */
    public volatile boolean alone;
    /** It is to end earlier than it did, and the database has not said yet that it does: a renewal alone never does that. */
    public volatile boolean shortening;
    /** Others have been seen to wait: its release had better wake them at once. */
    public volatile boolean awaited;
    /** By force. */
    volatile boolean ended;
    /** A release was sent before: that it finds nothing does not mean that the grant was lost. */
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

    public Attempts attempts() {
        return attempts;
    }

    public String id() {
        return id;
    }

    public String token() {
        return token;
    }
}
