package io.quarkiverse.lock.zookeeper;

import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Deletes the node of a grant. Without an answer it fails, and the node is a leftover from then on, deleted when the connection
 * is back.
 */
final class ReleaseRequest extends AbstractUni<Void> implements UniSubscription, VoidCallback, RequestTimeouts.Timed {

    private final ZooKeeperLockBackend backend;
    private final ZooKeeperGrant grant;
    private final long deadline;

    private UniSubscriber<? super Void> subscriber;
    private boolean settled;
    private boolean tried;
    private boolean kept;
    private volatile boolean done;

    ReleaseRequest(ZooKeeperLockBackend backend, ZooKeeperGrant grant) {
        this.backend = backend;
        this.grant = grant;
        this.deadline = backend.deadlines().next();
    }

    @Override
    public void subscribe(UniSubscriber<? super Void> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        backend.grants().remove(grant);
        if (grant.session().over()) {
            settle(null); // the node is gone with its session, or about to be
            return;
        }
        tried = grant.releaseTried;
        grant.releaseTried = true;
        kept = grant.keptAt(backend.time().nanoTime());
        backend.deadlines().add(this);
        grant.session().zk().delete(grant.path(), -1, this, null);
    }

    @Override
    public void processResult(int rc, String path, Object ctx) {
        if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue() || grant.session().over()) {
            boolean lost = rc == Code.NONODE.intValue() && kept && !tried;
            settle(lost ? new LockLostException(grant.name(), "its node in ZooKeeper had gone before its release", null)
                    : null);
            backend.counters().deleted(grant.session(), grant.container(), path);
            return;
        }
        backend.leftovers().delete(grant.session(), path);
        settle(backend.explain().failure(grant.name(), rc, path));
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
        // A release under way is not taken back
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public boolean done() {
        return done;
    }

    /** The request may still be on its way, and deletes the node then; if the connection breaks instead, that is told. */
    @Override
    public void timedOut() {
        settle(backend.explain().unreachable(grant.name(), backend.link().connected()));
    }
}
