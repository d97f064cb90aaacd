package io.quarkiverse.lock.zookeeper;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant: a node that is first in line. */
final class ZooKeeperGrant extends Grant {

    private static final AtomicIntegerFieldUpdater<ZooKeeperGrant> ENDED = AtomicIntegerFieldUpdater
            .newUpdater(ZooKeeperGrant.class, "ended");
    private static final AtomicIntegerFieldUpdater<ZooKeeperGrant> HINTED = AtomicIntegerFieldUpdater
            .newUpdater(ZooKeeperGrant.class, "hinted");

    private final ErrorMessages explain;
    private final Session session;
    private final String path;
    private final int nameAt;
    private final long grantedAt;

    /** A release was sent before: that it finds nothing does not mean that the grant was lost. */
    volatile boolean releaseTried;
    /** When it ends unless it is confirmed before. */
    private volatile long endsAt;
    private volatile int ended;
    private volatile int hinted;
    private volatile boolean watched;

    /**
     * @param sentAt when the request was sent whose answer showed that it is first
     * @param leaseNanos for how long from then it is certain
     * @param nameAt where the name of the node begins in its path
     */
    ZooKeeperGrant(ErrorMessages explain, Claim claim, Session session, String path, int nameAt, long czxid, long sentAt,
            long leaseNanos, long now) {
        super(claim, czxid, sentAt, leaseNanos, false);
        this.explain = explain;
        this.session = session;
        this.path = path;
        this.nameAt = nameAt;
        this.grantedAt = now;
        this.endsAt = sentAt + leaseNanos;
    }

    Session session() {
        return session;
    }

    String path() {
        return path;
    }

    String container() {
        return path.substring(0, nameAt - 1);
    }

    String node() {
        return path.substring(nameAt);
    }

    long grantedAt() {
        return grantedAt;
    }

    long endsAt() {
        return endsAt;
    }

    /** As long as the session allows, which changes with the server that it is connected to. */
    @Override
    public long leaseNanos() {
        return Math.min(super.leaseNanos(), session.leaseNanos());
    }

    @Override
    public void leaseNanos(long nanos) {
        if (nanos > session.leaseNanos()) {
            throw explain.longLease(name(), nanos, session.leaseNanos());
        }
        super.leaseNanos(nanos);
    }

    void renewed(long sentAt) {
        long until = sentAt + leaseNanos();
        if (until - endsAt > 0) {
            endsAt = until;
        }
    }

    /** The session has become shorter: so has what the last confirmation was for. */
    void shortened() {
        long until = sentAt() + leaseNanos();
        if (until - endsAt < 0) {
            endsAt = until;
        }
    }

    /** For whoever ends it; the others have nothing to do any more. */
    boolean end() {
        return ENDED.compareAndSet(this, 0, 1);
    }

    boolean ended() {
        return ended != 0;
    }

    /** For the first who asks whether others wait. */
    boolean hint() {
        return hinted == 0 && HINTED.compareAndSet(this, 0, 1);
    }

    boolean hinted() {
        return hinted != 0;
    }

    boolean watched() {
        return watched;
    }

    void nowWatched() {
        watched = true;
    }
}
