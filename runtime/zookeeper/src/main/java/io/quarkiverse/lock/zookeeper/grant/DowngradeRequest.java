package io.quarkiverse.lock.zookeeper.grant;

import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Writes into the node of a grant that its holder lets readers in. Readers right behind it watch that node, and get in when its
 * data changes. The write names the version that was read, so that it does not erase a release request.
 */
public final class DowngradeRequest extends AbstractUni<Boolean>
        implements UniSubscription, DataCallback, StatCallback, Timers.Timed {

    private final SessionTracker sessions;
    private final Timers timers;
    private final HeldGrants held;
    private final String owner;
    private final ErrorMessages errors;
    private final ZooKeeperGrant grant;
    private final long deadline;

    private UniSubscriber<? super Boolean> subscriber;
    private boolean done;

    public DowngradeRequest(SessionTracker sessions, Timers timers, HeldGrants held, String owner,
            ErrorMessages errors, ZooKeeperGrant grant) {
        this.sessions = sessions;
        this.timers = timers;
        this.held = held;
        this.owner = owner;
        this.errors = errors;
        this.grant = grant;
        this.deadline = timers.deadline();
    }

    @Override
    public void subscribe(UniSubscriber<? super Boolean> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        if (grant.ended() || grant.session().over()) {
            gone();
            return;
        }
        timers.limit(this);
        read();
    }

    private void read() {
        grant.session().zk().getData(grant.path(), false, this, null);
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        if (rc != Code.OK.intValue()) {
            failed(rc, path);
        } else if (stat.getEphemeralOwner() != grant.session().id() || stat.getCzxid() != grant.fence()) {
            gone();
        } else if (NodeData.of(data).shared()) {
            shared();
        } else {
            byte[] created = NodeData.of(owner, TimeUnit.NANOSECONDS.toMillis(grant.claim().leaseNanos()));
            byte[] shared = NodeData.share(created, NodeData.asked(data));
            grant.session().zk().setData(path, shared, stat.getVersion(), this, null);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx, Stat stat) {
        if (rc == Code.OK.intValue()) {
            shared();
        } else if (rc == Code.BADVERSION.intValue()) {
            read(); // somebody has just requested its release
        } else {
            failed(rc, path);
        }
    }

    private void shared() {
        if (settle()) {
            held.watchForWaiters(grant); // other readers of this JVM will join it, but not once a writer waits
            subscriber.onItem(true);
        }
    }

    private void gone() {
        if (settle()) {
            held.gone(grant);
            subscriber.onItem(false);
        }
    }

    private void failed(int rc, String path) {
        if (rc == Code.NONODE.intValue() || grant.session().over()) {
            gone();
        } else if (settle()) {
            subscriber.onFailure(rc == Code.NOAUTH.intValue() ? errors.mayNotWrite(grant.name(), path)
                    : errors.failure(grant.name(), rc, path));
        }
    }

    /** {@code false} if it was settled before. */
    private synchronized boolean settle() {
        boolean first = !done;
        done = true;
        return first;
    }

    @Override
    public void cancel() {
        // A downgrade cannot be undone
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public synchronized boolean done() {
        return done;
    }

    @Override
    public void timedOut() {
        if (settle()) {
            subscriber.onFailure(errors.unreachable(grant.name(), sessions.connected()));
        }
    }
}
