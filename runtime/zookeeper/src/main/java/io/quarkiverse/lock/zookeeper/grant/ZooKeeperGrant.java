package io.quarkiverse.lock.zookeeper.grant;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.session.NodeRoom;
import io.quarkiverse.lock.zookeeper.session.Session;

/** A grant: a node that holds the lock. */
public final class ZooKeeperGrant extends Grant {

    private static final AtomicIntegerFieldUpdater<ZooKeeperGrant> ENDED = AtomicIntegerFieldUpdater
            .newUpdater(ZooKeeperGrant.class, "ended");
    private static final AtomicIntegerFieldUpdater<ZooKeeperGrant> HINTED = AtomicIntegerFieldUpdater
            .newUpdater(ZooKeeperGrant.class, "hinted");

    private final ErrorMessages errors;
    private final Session session;
    private final NodeRoom.Share room;
    private final String path;
    private final int nameAt;
    private final long grantedAt;

    /** Whether a release was sent before: then a missing node does not mean that the grant was lost. */
    volatile boolean releaseTried;
    /** When the grant ends without another confirmation. */
    private volatile long endsAt;
    /** How long the last confirmation is good for: after a pause, less than the lease. */
    private volatile long confirmedNanos = Long.MAX_VALUE;
    private volatile int ended;
    private volatile int hinted;
    private volatile boolean watched;
    private boolean knowsWaiters = true;

    /**
     * @param sentAt the sending time of the request whose answer showed that the node holds the lock, or when the event that
     *        showed it was processed
     * @param leaseNanos how long the grant is certain from then
     * @param nameAt the index at which the name of the node begins in its path
     */
    public ZooKeeperGrant(ErrorMessages errors, Claim claim, Session session, NodeRoom.Share room, String path, int nameAt,
            long czxid, long sentAt, long leaseNanos, long now) {
        super(claim, czxid, sentAt, leaseNanos, false);
        this.errors = errors;
        this.session = session;
        this.room = room;
        this.path = path;
        this.nameAt = nameAt;
        this.grantedAt = now;
        this.endsAt = sentAt + leaseNanos;
    }

    public Session session() {
        return session;
    }

    /** Given back once its node is gone. */
    NodeRoom.Share room() {
        return room;
    }

    public String path() {
        return path;
    }

    public String container() {
        return path.substring(0, nameAt - 1);
    }

    public String node() {
        return path.substring(nameAt);
    }

    public long grantedAt() {
        return grantedAt;
    }

    public long endsAt() {
        return endsAt;
    }

    /** At most what the session allows, which depends on the server it is connected to, and on the last confirmation. */
    @Override
    public long leaseNanos() {
        return Math.min(wholeNanos(), confirmedNanos);
    }

    private long wholeNanos() {
        return Math.min(super.leaseNanos(), session.leaseNanos());
    }

    @Override
    public void leaseNanos(long nanos) {
        if (nanos > session.leaseNanos()) {
            throw errors.longLease(name(), nanos, session.leaseNanos());
        }
        super.leaseNanos(nanos);
    }

    /** {@code false} if this gains nothing: there was a pause, and the next renewal knows more. */
    boolean renewed(long sentAt) {
        long kept = session.keptNanos(sentAt);
        boolean whole = kept >= wholeNanos();
        if (!whole && sentAt + kept - endsAt <= 0) {
            return false;
        }
        confirmedNanos = whole ? Long.MAX_VALUE : kept;
        long until = sentAt + leaseNanos();
        if (until - endsAt > 0) {
            endsAt = until;
        }
        return true;
    }

    /** Its lease has become shorter, and begins now. */
    void endsEarlier(long now) {
        endsNoLaterThan(now + leaseNanos());
    }

    /** The session timeout has become shorter, and so has the time for which the last confirmation is good. */
    void shortened() {
        endsNoLaterThan(sentAt() + leaseNanos());
    }

    private void endsNoLaterThan(long until) {
        if (until - endsAt < 0) {
            endsAt = until;
        }
    }

    /** Ends it; {@code false} if it had ended before. */
    boolean end() {
        return ENDED.compareAndSet(this, 0, 1);
    }

    boolean ended() {
        return ended != 0;
    }

    /** Marks that waiters are being looked for; {@code false} if it was already marked. */
    boolean hint() {
        return hinted == 0 && HINTED.compareAndSet(this, 0, 1);
    }

    boolean hinted() {
        return hinted != 0;
    }

    public boolean watched() {
        return watched;
    }

    void nowWatched() {
        watched = true;
    }

    /** Others may have come, or gone, since the container was listed for it. */
    public void forgetWaiters() {
        knowsWaiters = false;
    }

    public boolean knowsWaiters() {
        return knowsWaiters;
    }
}
