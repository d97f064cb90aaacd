package io.quarkiverse.lock.zookeeper.query;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;

import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.errors.Refusal;
import io.quarkiverse.lock.zookeeper.nodes.CreationOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.RequestTimeouts;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.SessionWaiters;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** Reads the nodes of a name, and does something with them; fails if there is no answer in time. */
abstract class HolderQuery<T> extends AbstractUni<T>
        implements UniSubscription, SessionWaiters.Waiter, RequestTimeouts.Timed, VoidCallback, ChildrenCallback {

    final String name;
    final String container;
    final NodeOrder order;
    private final SessionTracker sessions;
    private final RequestTimeouts timeouts;
    private final ErrorMessages errors;
    private final long deadline;
    private final AtomicBoolean settled = new AtomicBoolean();

    private UniSubscriber<? super T> subscriber;
    private boolean synced;

    HolderQuery(SessionTracker sessions, RequestTimeouts timeouts, ErrorMessages errors, NodeOrder order, String name,
            String container) {
        this.sessions = sessions;
        this.timeouts = timeouts;
        this.errors = errors;
        this.order = order;
        this.name = name;
        this.container = container;
        this.deadline = timeouts.next();
    }

    /** The answer if the name has no container. */
    abstract T nothing();

    /**
     * The nodes of the name, in no order.
     *
     * @param czxids of the nodes whose numbers do not order them
     */
    abstract void found(Session session, List<String> children, Map<String, Long> czxids);

    @Override
    public final void subscribe(UniSubscriber<? super T> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        timeouts.add(this);
        resume();
    }

    @Override
    public final void resume() {
        if (done()) {
            return;
        }
        Session session = sessions.usable();
        if (session == null) {
            sessions.park(this);
            if (done()) {
                sessions.unpark(this); // it has just timed out
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
        CreationOrder.read(session.zk(), order, container, children, new CreationOrder.Next() {
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

    /** A holder may not be asked by this client. */
    final void mayNotAsk(String path) {
        fail(errors.mayNotAsk(name, path));
    }

    final void failed(int rc, String path) {
        fail(errors.failure(name, rc, path));
    }

    private void fail(Throwable failure) {
        if (settled.compareAndSet(false, true)) {
            sessions.unpark(this);
            subscriber.onFailure(failure);
        }
    }

    @Override
    public final void refused(Refusal refusal) {
        fail(errors.refused(name, refusal));
    }

    @Override
    public final void cancel() {
        if (settled.compareAndSet(false, true)) {
            sessions.unpark(this);
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
        fail(errors.unreachable(name, sessions.connected()));
    }
}
