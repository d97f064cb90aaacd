package io.quarkiverse.lock.zookeeper;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;

import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** Asks about a name, beginning with who stands in line for it; ends in time. */
abstract class HolderQuery<T> extends AbstractUni<T>
        implements UniSubscription, SessionWaiters.SessionWaiter, RequestTimeouts.Timed, VoidCallback, ChildrenCallback {

    final ZooKeeperLockBackend backend;
    final String name;
    final String container;
    private final long deadline;
    private final AtomicBoolean settled = new AtomicBoolean();

    private UniSubscriber<? super T> subscriber;
    private boolean synced;

    HolderQuery(ZooKeeperLockBackend backend, String name) {
        this.backend = backend;
        this.name = name;
        this.container = backend.paths().container(name);
        this.deadline = backend.deadlines().next();
    }

    /** There is nothing of the name. */
    abstract T nothing();

    /**
     * These stand in line, in no order.
     *
     * @param czxids of those whose numbers do not order them
     */
    abstract void found(Session session, List<String> children, Map<String, Long> czxids);

    @Override
    public final void subscribe(UniSubscriber<? super T> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        backend.deadlines().add(this);
        resume();
    }

    @Override
    public final void resume() {
        if (done()) {
            return;
        }
        Session session = backend.link().usable();
        if (session == null) {
            backend.link().park(this);
            if (done()) {
                backend.link().unpark(this); // its time was over in this moment
            }
            return;
        }
        session.zk().sync(container, this, null);
        session.zk().getChildren(container, false, (ChildrenCallback) this, session);
    }

    @Override
    public void processResult(int rc, String path, Object ctx) {
        synced = rc == Code.OK.intValue();
    }

    @Override
    public final void processResult(int rc, String path, Object session, List<String> children) {
        if (rc == Code.NONODE.intValue()) {
            answer(nothing());
        } else if (rc == Code.OK.intValue() && synced) {
            found((Session) session, children);
        } else {
            failed(rc == Code.OK.intValue() ? Code.CONNECTIONLOSS.intValue() : rc, path);
        }
    }

    private void found(Session session, List<String> children) {
        List<String> unnumbered = backend.line().unnumbered(children);
        if (unnumbered.isEmpty()) {
            found(session, children, Map.of());
            return;
        }
        CreationOrder.read(session, container, children, unnumbered, new CreationOrder.Next() {
            @Override
            public void ordered(List<String> present, Map<String, Long> czxids) {
                found(session, present, czxids);
            }

            @Override
            public void unordered(int rc, String path) {
                failed(rc, path);
            }
        });
    }

    final void answer(T item) {
        if (settled.compareAndSet(false, true)) {
            subscriber.onItem(item);
        }
    }

    final void failed(int rc, String path) {
        fail(backend.explain().failure(name, rc, path));
    }

    final void fail(Throwable failure) {
        if (settled.compareAndSet(false, true)) {
            backend.link().unpark(this);
            subscriber.onFailure(failure);
        }
    }

    @Override
    public final void refused(SessionWaiters.Refusal refusal) {
        fail(backend.explain().refused(name, refusal));
    }

    @Override
    public final void cancel() {
        if (settled.compareAndSet(false, true)) {
            backend.link().unpark(this);
        }
    }

    @Override
    public final long deadline() {
        return deadline;
    }

    @Override
    public final boolean done() {
        return settled.get();
    }

    @Override
    public final void timedOut() {
        fail(backend.explain().unreachable(name, backend.link().connected()));
    }
}
