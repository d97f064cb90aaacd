package io.quarkiverse.lock.engine.queue;

import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Sent;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;

/**
 * For how long renewals keep grants. That changes while they are under way, so an answer counts for what its renewal may have
 * asked for, and no more.
 */
public final class LeaseLengths {

    /** By how much the shortest lease of a grant may be rounded down. */
    private static final long LESS_THAN_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final LockTime time;
    /** One change at a time. Within the guard of a queue, never around it. */
    private final ReentrantLock changes = new ReentrantLock();
    /**
     * When grants were raised: a renewal that was sent before may have asked for less than its grant is to have now. Only of
     * those of which that still matters, and that somebody still has.
     */
    private final Map<Grant, Long> raised = new WeakHashMap<>();

    public LeaseLengths(LockTime time) {
        this.time = time;
    }

    /**
     * From here on the grant is renewed for at least so long. What is under way may still have asked for less.
     *
     * @throws LockBackendException if the backend cannot do that
     */
    public void raise(Grant grant, long nanos) {
        changes.lock();
        try {
            if (nanos > grant.leaseNanos()) {
                grant.leaseNanos(nanos);
                raised.put(grant, time.nanoTime()); // not before: what is sent until then may ask for less
            }
        } finally {
            changes.unlock();
        }
    }

    /**
     * From here on the grant is renewed for so little, and good for no more, whatever becomes of what is sent to say so.
     *
     * @return the hold's lease, which needs something earlier than it did: see {@link Renewals#added}
     */
    public Lease lower(LockHold hold, long nanos, Sent sent) {
        changes.lock();
        try {
            hold.lease().grant.leaseNanos(nanos);
            Lease lease = hold.lease(); // now: one that takes its place from here on knows of it
            lease.shortened(sent);
            return lease;
        } finally {
            changes.unlock();
        }
    }

    /** For how long a renewal that was sent then keeps the grant at least. */
    long askedBy(Sent sent, Grant grant) {
        long known = grant.leaseNanos();
        if (grant.shortestLeaseNanos() >= known) {
            return known; // nothing has asked for less: nearly always
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
     * The backend has answered a renewal that was sent then. What the lease was kept for before counts no more, if that renewal
     * was sent after all that might have asked for less.
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
