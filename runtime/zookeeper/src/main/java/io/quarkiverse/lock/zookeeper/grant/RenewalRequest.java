package io.quarkiverse.lock.zookeeper.grant;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Confirms grants: the session keeps them, and their nodes prove that they are ours. It sends, all at once, one {@code sync},
 * which only the leader answers, and a read of each node, which is watched from then on. If that gains nothing for a single
 * grant, since the leader has yet to hear of the session after a pause, it asks again.
 */
public final class RenewalRequest extends AbstractUni<Renewal>
        implements UniSubscription, VoidCallback, DataCallback, Timers.Timed {

    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(50);

    private final SessionTracker sessions;
    private final Timers timers;
    private final HeldGrants held;
    private final String root;
    private final List<ZooKeeperGrant> grants;
    private final List<ZooKeeperGrant> renewed = new ArrayList<>();
    private final List<ZooKeeperGrant> lost = new ArrayList<>();
    private final List<ZooKeeperGrant> unknown = new ArrayList<>();

    private UniSubscriber<? super Renewal> subscriber;
    private long sentAt;
    private long deadline;
    private boolean synced;
    private int open;
    private volatile boolean done;

    public RenewalRequest(SessionTracker sessions, Timers timers, HeldGrants held, String root,
            List<ZooKeeperGrant> grants) {
        this.sessions = sessions;
        this.timers = timers;
        this.held = held;
        this.root = root;
        this.grants = grants;
    }

    @Override
    public void subscribe(UniSubscriber<? super Renewal> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        Session session = sessions.usable();
        var asked = new ArrayList<ZooKeeperGrant>(grants.size());
        for (ZooKeeperGrant each : grants) {
            if (each.ended() || each.session().over()) {
                lost.add(each);
            } else if (each.session() != session) {
                unknown.add(each); // not before the connection is back
            } else {
                asked.add(each);
            }
        }
        open = asked.size();
        if (open == 0) {
            finish();
            return;
        }
        deadline = timers.deadline();
        timers.limit(this);
        ask(session, asked);
    }

    private void ask(Session session, List<ZooKeeperGrant> asked) {
        sentAt = timers.nanoTime();
        session.zk().sync(root, this, session);
        for (ZooKeeperGrant each : asked) {
            session.zk().getData(each.path(), held, this, each);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx) {
        synced = rc == Code.OK.intValue();
        if (synced) {
            ((Session) ctx).confirmed(sentAt, timers.nanoTime());
        } else if (rc == Code.SESSIONEXPIRED.intValue()) {
            sessions.checkClosed((Session) ctx);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        var grant = (ZooKeeperGrant) ctx;
        if (rc == Code.NONODE.intValue()) {
            add(lost, grant);
        } else if (rc != Code.OK.intValue() || !synced) {
            add(unknown, grant);
        } else if (stat.getEphemeralOwner() != grant.session().id() || stat.getCzxid() != grant.fence()) {
            add(lost, grant);
        } else {
            grant.nowWatched();
            held.reportRequest(grant, data);
            confirmed(grant);
        }
    }

    /** Of several grants, none waits for the others: what is known of them would be late. */
    private void confirmed(ZooKeeperGrant grant) {
        if (grant.renewed(sentAt)) {
            add(renewed, grant);
        } else if (grants.size() > 1) {
            add(unknown, grant);
        } else if (!done) {
            timers.pause(this, AGAIN, () -> ask(grant.session(), grants));
        }
    }

    private synchronized void add(List<ZooKeeperGrant> outcome, ZooKeeperGrant grant) {
        if (done) {
            return; // its time was over: the caller already has the lists
        }
        outcome.add(grant);
        if (--open == 0) {
            finish();
        }
    }

    private void finish() {
        done = true;
        for (ZooKeeperGrant each : lost) {
            held.gone(each);
        }
        subscriber.onItem(new Renewal(renewed, lost, unknown));
    }

    @Override
    public void cancel() {
        // Harmless if nobody waits for the outcome
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public boolean done() {
        return done;
    }

    /** Grants without an answer are unknown; later answers do not count for this renewal. */
    @Override
    public synchronized void timedOut() {
        if (done) {
            return;
        }
        Set<ZooKeeperGrant> answered = new HashSet<>(renewed);
        answered.addAll(lost);
        answered.addAll(unknown);
        for (ZooKeeperGrant each : grants) {
            if (!answered.contains(each)) {
                unknown.add(each);
            }
        }
        finish();
    }
}
