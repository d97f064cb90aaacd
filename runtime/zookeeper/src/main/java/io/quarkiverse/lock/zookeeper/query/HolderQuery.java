package io.quarkiverse.lock.zookeeper.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.errors.Refusal;
import io.quarkiverse.lock.zookeeper.nodes.CreationOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.ReplySize;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.SessionWaiters;
import io.quarkiverse.lock.zookeeper.session.Timers;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** Reads the nodes of a name, and does something with them; fails if there is no answer in time. */
abstract class HolderQuery<T> extends AbstractUni<T>
        implements UniSubscription, SessionWaiters.Waiter, Timers.Timed, VoidCallback, ChildrenCallback {

    final String name;
    final String container;
    final NodeOrder order;
    private final SessionTracker sessions;
    final Timers timers;
    private final ErrorMessages errors;
    private final long deadline;
    private final AtomicBoolean settled = new AtomicBoolean();

    private UniSubscriber<? super T> subscriber;
    private int synced = Code.CONNECTIONLOSS.intValue();

    HolderQuery(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order, String name,
            String container) {
        this.sessions = sessions;
        this.timers = timers;
        this.errors = errors;
        this.order = order;
        this.name = name;
        this.container = container;
        this.deadline = timers.deadline();
    }

    /** The answer if the name has no container. */
    abstract T nothing();

    /**
     * @param holding the nodes that hold the lock, in their order
     * @param inLine all nodes of the name, in their order
     */
    abstract void found(Session session, List<String> holding, List<String> inLine);

    /** Whether the nodes are counted first: others may have made more than this JVM could ever hear of in one reply. */
    boolean counts() {
        return true;
    }

    @Override
    public final void subscribe(UniSubscriber<? super T> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        timers.limit(this);
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
        if (counts()) {
            session.zk().exists(container, false, (rc, path, ctx, stat) -> counted(session, rc, stat), null);
        } else {
            list(session);
        }
    }

    private void counted(Session session, int rc, Stat container) {
        int most = ReplySize.mostNodes(session.zk().getClientConfig());
        if (rc == Code.OK.intValue() && container.getNumChildren() > most) {
            fail(errors.tooManyNodes(name, container.getNumChildren(), most));
        } else {
            list(session); // which also tells what is wrong
        }
    }

    private void list(Session session) {
        session.zk().sync(container, this, null);
        session.zk().getChildren(container, false, (ChildrenCallback) this, session);
    }

    @Override
    public void processResult(int rc, String path, Object ctx) {
        synced = rc;
    }

    @Override
    public final void processResult(int rc, String path, Object session, List<String> children) {
        if (rc != Code.OK.intValue() && rc != Code.NONODE.intValue()) {
            failed(rc, path);
        } else if (synced != Code.OK.intValue()) {
            failed(synced, path); // the leader may know more than this server
        } else if (rc == Code.NONODE.intValue()) {
            answer(nothing());
        } else {
            found((Session) session, children);
        }
    }

    private void found(Session session, List<String> children) {
        order.read(session.zk(), container, children, new CreationOrder.Next() {
            @Override
            public void ordered(List<String> present, Map<String, Long> czxids) {
                findHolders(session, present, czxids);
            }

            @Override
            public void unordered(int rc, String path) {
                failed(rc, path);
            }
        });
    }

    /** The nodes of all holders and of the first waiters. */
    static List<String> toRead(List<String> holding, List<String> inLine) {
        return inLine.subList(0, Math.min(inLine.size(), holding.size() + NodeFindings.MOST_WAITERS));
    }

    final void read(Session session, List<String> nodes, DataCallback each) {
        for (String node : nodes) {
            session.zk().getData(container + '/' + node, false, each, null);
        }
    }

    /** Only a writer's data tells whether readers right behind it hold the lock together with it. */
    private void findHolders(Session session, List<String> children, Map<String, Long> czxids) {
        List<String> holding = order.holders(children, czxids);
        List<String> readers = order.readersBehindWriter(children, czxids);
        List<String> inLine = order.sorted(children, czxids);
        if (readers.isEmpty()) {
            found(session, holding, inLine);
            return;
        }
        DataCallback first = (rc, path, ctx, data, stat) -> {
            if (rc == Code.OK.intValue() && NodeData.of(data).shared()) {
                List<String> all = new ArrayList<>(holding);
                all.addAll(readers);
                found(session, all, inLine);
            } else if (rc == Code.OK.intValue()) {
                found(session, holding, inLine);
            } else if (rc == Code.NONODE.intValue()) {
                resume(); // the lock has just been released; somebody else holds it now
            } else {
                failed(rc, path);
            }
        };
        session.zk().getData(container + '/' + holding.get(0), false, first, null);
    }

    final void answer(T item) {
        if (settled.compareAndSet(false, true)) {
            subscriber.onItem(item);
        }
    }

    /** This client may not ask a holder. */
    final void mayNotWrite(String path) {
        fail(errors.mayNotWrite(name, path));
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
