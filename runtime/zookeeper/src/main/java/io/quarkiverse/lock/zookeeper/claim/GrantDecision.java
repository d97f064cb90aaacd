package io.quarkiverse.lock.zookeeper.claim;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.NodeRoom;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.Timers;

/** Decides whether a node that is first becomes a grant, and for how long that is certain. */
public final class GrantDecision {

    private final long afterLossDelay;
    private final Timers timers;
    private final ErrorMessages errors;

    public GrantDecision(Duration afterLossDelay, Timers timers, ErrorMessages errors) {
        this.afterLossDelay = afterLossDelay.toNanos();
        this.timers = timers;
        this.errors = errors;
    }

    long now() {
        return timers.nanoTime();
    }

    /** Whether the session has become too short for any lease. */
    boolean impossible(Session session) {
        return session.leaseNanos() <= afterLossDelay;
    }

    /** Whether a grant may begin now without asking the leader. */
    boolean certain(Claim claim, Session session, long now) {
        return session.covers(now, claim.leaseNanos());
    }

    /**
     * @param nameAt the index at which the name of the node begins in its path
     * @param sentAt the sending time of the request whose answer showed that the node is first, or when the event that showed
     *        it was processed
     * @return {@code null} if less than half of the lease is left, or this is unknown: the answer was slow, or there was a
     *         pause before it
     */
    @Nullable
    ZooKeeperGrant grant(Claim claim, Session session, NodeRoom.Share room, String path, int nameAt, long czxid, long sentAt) {
        long lease = Math.min(claim.leaseNanos(), session.leaseNanos());
        long begin = session.begin(sentAt, lease);
        long now = timers.nanoTime();
        if (!session.confirmed() || now - begin > (lease - afterLossDelay) / 2) {
            return null;
        }
        return new ZooKeeperGrant(errors, claim, session, room, path, nameAt, czxid, begin, lease, now);
    }
}
