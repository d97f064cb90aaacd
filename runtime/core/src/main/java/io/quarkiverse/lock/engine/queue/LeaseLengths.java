package io.quarkiverse.lock.engine.queue;

import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Sent;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;

/**
 * How long renewals keep grants. This can change while a renewal is under way, so an answer confirms no more than its renewal
 * may have asked for.
 */
public final class LeaseLengths {

    /** How far the shortest lease of a grant may be rounded down. */
    private static final long LESS_THAN_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final LockTime time;
    /** One change at a time. Within the guard of a queue, never around it. */
    private final ReentrantLock changes = new ReentrantLock();
    /**
     * When each grant was raised: a renewal sent before may have asked for less than the grant is to have now. Contains only
     * grants that are still in use and for which this still matters.
     */
    private final Map<Grant, Long> raised = new WeakHashMap<>();

    public LeaseLengths(LockTime time) {
        this.time = time;
    }

    /**
     * From now on, the grant is renewed for at least this long. A renewal under way may still have asked for less.
     *
     * @throws LockBackendException if the backend cannot do that
     */
    public void raise(Grant grant, long nanos) {
        changes.lock();
        try {
            if (nanos > grant.leaseNanos()) {
                grant.leaseNanos(nanos);
                raised.put(grant, time.nanoTime()); // not earlier: a renewal sent until then may ask for less
            }
        } finally {
            changes.unlock();
        }
    }

    /**
     * A renewal is about to be sent. A name that stays taken for some time from the grant is kept for what is left of that, and
     * not for the whole time again; yet never for less than the backend has promised: if the store has lost its data, it keeps
     * only what is asked for now.
     *
     * @param lease {@code null} if it has ended
     */
    public void beforeRenewal(@Nullable Lease lease) {
        if (lease == null || !lease.holder().outlastsItsLease()) {
            return;
        }
        Grant grant = lease.grant;
        lease.queue.lock();
        changes.lock();
        try {
            long now = time.nanoTime();
            List<LockHold> holders = lease.presentHolders();
            long needed = grant.keptUntil() - now;
            for (LockHold hold : holders) {
                long own = Math.max(hold.wantedLeaseNanos(), hold.staysTakenFor(now));
                needed = Math.max(needed, own + lease.queue.rules.afterLossNanos);
            }
            if (needed >= grant.leaseNanos()) {
                raise(grant, needed);
            } else if (!holders.isEmpty()) { // else it is about to be given back
                grant.asksFor(needed);
            }
        } finally {
            changes.unlock();
            lease.queue.unlock();
        }
    }

    /**
     * From now on, the grant is renewed for no more than this and is valid for no longer, even if the request to shorten it
     * never arrives.
     *
     * @return the hold's lease, which now needs attention earlier: see {@link Renewals#added}
     */
    public Lease lower(LockHold hold, long nanos, Sent sent) {
        changes.lock();
        try {
            hold.lease().grant.leaseNanos(nanos);
            Lease lease = hold.lease(); // read it now: a lease that replaces it later knows the new length
            lease.shortened(sent);
            return lease;
        } finally {
            changes.unlock();
        }
    }

    /** The minimum time for which a renewal sent at that time keeps the grant. */
    long askedBy(Sent sent, Grant grant) {
        long known = grant.leaseNanos();
        if (grant.shortestLeaseNanos() >= known) {
            return known; // nothing has asked for less, which is the usual case
        }
        changes.lock();
        try {
            long lease = grant.leaseNanos();
            return sent.nanos() < raisedAt(grant) ? Math.min(grant.shortestLeaseNanos(), lease) : lease;
        } finally {
            changes.unlock();
        }
    }

    private long raisedAt(Grant grant) {
        return raised.getOrDefault(grant, Long.MIN_VALUE);
    }

    /**
     * The backend has answered a renewal that was sent at that time. Earlier lease lengths no longer count if it was sent after
     * every request that might have asked for less.
     */
    void answered(Lease lease, Sent sent) {
        Grant grant = lease.grant;
        if (grant.shortestLeaseNanos() >= grant.leaseNanos() - LESS_THAN_A_MILLI) {
            return;
        }
        lease.queue.lock();
        changes.lock();
        try {
            if (sent.nanos() >= raisedAt(grant) && lease.mayBeKeptWhole()) {
                grant.keptWhole();
                raised.remove(grant);
            }
        } finally {
            changes.unlock();
            lease.queue.unlock();
        }
    }
}
