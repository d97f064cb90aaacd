package io.quarkiverse.lock.zookeeper.grant;

import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper.States;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.SequenceCounterWatch;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** Deletes the node of a grant. Without an answer the request fails, and the node is deleted when the connection is back. */
public final class ReleaseRequest extends AbstractUni<Void> implements UniSubscription, VoidCallback, Timers.Timed {

    private final SessionTracker sessions;
    private final Timers timers;
    private final HeldGrants held;
    private final PendingDeletes deletes;
    private final SequenceCounterWatch counters;
    private final ErrorMessages errors;
    private final ZooKeeperGrant grant;
    private final long deadline;

    private UniSubscriber<? super Void> subscriber;
    private boolean settled;
    private boolean tried;
    private boolean kept;
    private volatile boolean done;

    public ReleaseRequest(SessionTracker sessions, Timers timers, HeldGrants held,
            PendingDeletes deletes, SequenceCounterWatch counters, ErrorMessages errors, ZooKeeperGrant grant) {
        this.sessions = sessions;
        this.timers = timers;
        this.held = held;
        this.deletes = deletes;
        this.counters = counters;
        this.errors = errors;
        this.grant = grant;
        this.deadline = timers.deadline();
    }

    @Override
    public void subscribe(UniSubscriber<? super Void> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        held.remove(grant);
        kept = grant.keptAt(timers.nanoTime());
        tried = grant.releaseTried;
        grant.releaseTried = true;
        if (sessionOver()) { // the node is gone with it, or about to be
            // Even if that was reported: the engine may have let go of the grant just before, and then it has ignored the news
            settle(kept && !tried ? lost("the ZooKeeper session has ended just before its release") : null);
            return;
        }
        timers.limit(this);
        grant.session().zk().delete(grant.path(), -1, this, null);
    }

    /** Its client may be closed a moment before anybody hears of that, and would refuse the request as if it were in doubt. */
    private boolean sessionOver() {
        return grant.session().over() || grant.session().zk().getState() == States.CLOSED;
    }

    @Override
    public void processResult(int rc, String path, Object ctx) {
        if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue() || grant.session().over()) {
            grant.room().free();
            boolean lost = rc == Code.NONODE.intValue() && kept && !tried;
            settle(lost ? lost("its node in ZooKeeper was gone before its release") : null);
            if (!NodeOrder.low(path)) {
                counters.deleted(grant.session().zk(), grant.container(), path);
            }
            return;
        }
        deletes.delete(grant.session(), path, grant.room());
        settle(errors.failure(grant.name(), rc, path));
    }

    private LockLostException lost(String reason) {
        return new LockLostException(grant.name(), reason, null);
    }

    private void settle(@Nullable Throwable failure) {
        synchronized (this) {
            if (settled) {
                return;
            }
            settled = true;
        }
        done = true;
        if (failure == null) {
            subscriber.onItem(null);
        } else {
            subscriber.onFailure(failure);
        }
    }

    @Override
    public void cancel() {
        // A release cannot be undone
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public boolean done() {
        return done;
    }

    /** The request may still be in flight and delete the node; if the connection breaks instead, the callback is called. */
    @Override
    public void timedOut() {
        settle(errors.unreachable(grant.name(), sessions.connected()));
    }
}
