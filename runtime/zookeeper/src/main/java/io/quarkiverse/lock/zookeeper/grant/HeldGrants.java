package io.quarkiverse.lock.zookeeper.grant;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionEvents;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * The grants of this JVM, by the path of their node. A node that is held for longer than a moment is watched, so that a
 * deletion is noticed at once; a node whose lease ends without renewal is deleted.
 */
public final class HeldGrants implements Watcher, SessionEvents, DataCallback, ChildrenCallback {

    /** Most grants are released sooner, and need no watch. */
    private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long NEVER = Long.MAX_VALUE;
    private static final String SESSION_OVER = "the ZooKeeper session has expired, or its client was closed";

    private final Timers timers;
    private final BackendListener listener;
    private final NodeOrder order;
    private final PendingDeletes deletes;
    private final ConcurrentMap<String, ZooKeeperGrant> held = new ConcurrentHashMap<>();
    /**
     * The grants whose container is watched for waiters of other JVMs, by container: of several readers' grants, the newest.
     */
    private final ConcurrentMap<String, ZooKeeperGrant> watchedForWaiters = new ConcurrentHashMap<>();
    private final Queue<ZooKeeperGrant> unwatched = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private final AtomicLong nextEnd = new AtomicLong(NEVER);

    public HeldGrants(Timers timers, BackendListener listener, NodeOrder order, PendingDeletes deletes) {
        this.timers = timers;
        this.listener = listener;
        this.order = order;
        this.deletes = deletes;
    }

    /** @param othersWait known from the list of nodes, so there is no need to look for waiters; see {@link #othersWait} */
    public void add(ZooKeeperGrant grant, boolean othersWait) {
        if (othersWait) {
            grant.hint();
        }
        held.put(grant.path(), grant);
        unwatched.add(grant);
        tick();
        endsAt(grant.endsAt());
    }

    /** Removes it; {@code false} if it had ended before. Whoever is first sees to the node, and to the room that it takes. */
    boolean remove(ZooKeeperGrant grant) {
        boolean first = grant.end(); // first, since code that adds it to the map below checks this afterwards
        held.remove(grant.path(), grant);
        if (grant.hinted()) {
            watchedForWaiters.remove(grant.container(), grant);
        }
        return first;
    }

    public @Nullable ZooKeeperGrant at(String path) {
        return held.get(path);
    }

    /** Its lease is shorter from now on, whether or not the servers answer. */
    public void endsEarlier(ZooKeeperGrant grant) {
        grant.endsEarlier(timers.nanoTime());
        if (!grant.ended()) {
            endsAt(grant.endsAt());
        }
    }

    /** When the last grant ends without renewal; in the past if there are none. */
    public long lastEnd() {
        long last = timers.nanoTime() - 1;
        for (ZooKeeperGrant each : held.values()) {
            if (each.endsAt() - last > 0) {
                last = each.endsAt();
            }
        }
        return last;
    }

    // --- what becomes of the session

    @Override
    public void disconnected() {
        for (ZooKeeperGrant each : held.values()) {
            listener.suspect(each);
        }
    }

    /** The shorter lease counts at once, though nothing has confirmed the grants under it yet. */
    @Override
    public void shortened(Session session) {
        for (ZooKeeperGrant each : held.values()) {
            if (each.session() == session) {
                each.shortened();
                listener.suspect(each);
                endsAt(each.endsAt());
            }
        }
    }

    @Override
    public void reconnected(Session session) {
        listener.recheck();
        for (ZooKeeperGrant each : watchedForWaiters.values()) {
            if (each.session() == session) {
                list(each.container(), each); // the answer to an event may be lost, and its watch with it
            }
        }
    }

    @Override
    public void ended(Session session) {
        for (ZooKeeperGrant each : List.copyOf(held.values())) {
            if (each.session() == session) {
                lost(each, SESSION_OVER);
            }
        }
    }

    /** The engine has the grant. If its session has ended on the way, the engine did not know yet what was lost. */
    public void delivered(ZooKeeperGrant grant) {
        if (grant.session().over()) {
            remove(grant);
            listener.lost(grant, SESSION_OVER);
        }
    }

    /** Removes it since its node is gone; {@code false} if it had ended before. */
    boolean gone(ZooKeeperGrant grant) {
        boolean first = remove(grant);
        if (first) {
            grant.room().free();
        }
        return first;
    }

    private void lost(ZooKeeperGrant grant, String reason) {
        if (gone(grant)) {
            listener.lost(grant, reason);
        }
    }

    // --- a node is changed or deleted by somebody else

    @Override
    public void process(WatchedEvent event) {
        String path = event.getPath();
        if (path == null) {
            return; // an event of the session, which is reported in another way
        }
        switch (event.getType()) {
            case NodeChildrenChanged -> childrenChanged(path);
            case NodeDataChanged -> changed(path);
            case NodeDeleted -> deleted(path);
            default -> {
            }
        }
    }

    private void tick() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            timers.later(MOMENT, this::watchOld);
        }
    }

    private void watchOld() {
        long now = timers.nanoTime();
        try {
            for (ZooKeeperGrant oldest = unwatched.peek(); oldest != null
                    && (oldest.ended() || now - oldest.grantedAt() >= MOMENT); oldest = unwatched.peek()) {
                unwatched.poll();
                if (!oldest.ended() && !oldest.watched()) {
                    watch(oldest);
                }
                if (!oldest.knowsWaiters()) {
                    watchForWaiters(oldest);
                }
            }
        } finally {
            ticking.set(false);
            if (!unwatched.isEmpty()) {
                tick();
            }
        }
    }

    /** Reads the node, since {@code exists} would leave a watch even on a missing node. */
    private void watch(ZooKeeperGrant grant) {
        grant.session().zk().getData(grant.path(), this, this, grant);
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        var grant = (ZooKeeperGrant) ctx;
        if (rc == Code.OK.intValue()) {
            reportRequest(grant, data);
            grant.nowWatched();
        } else if (rc == Code.NONODE.intValue()) {
            lost(grant, "its node in ZooKeeper was deleted");
        }
        // Otherwise the connection is lost; the renewal after its return watches the node
    }

    /** The data has changed: somebody may have requested a release. */
    private void changed(String path) {
        ZooKeeperGrant grant = held.get(path);
        if (grant != null) {
            watch(grant);
        }
    }

    void reportRequest(ZooKeeperGrant grant, byte[] data) {
        if (NodeData.asked(data)) {
            listener.releaseRequested(grant);
        }
    }

    /** Somebody has requested the release of the node with this path. */
    public void releaseRequested(String path) {
        ZooKeeperGrant grant = held.get(path);
        if (grant != null) {
            listener.releaseRequested(grant);
        }
    }

    public void deleted(String path) {
        ZooKeeperGrant grant = held.get(path);
        if (grant != null) {
            lost(grant, "it was released by force, or its node in ZooKeeper was deleted");
        }
    }

    // --- the lease is over

    private void endsAt(long at) {
        long known = nextEnd.get();
        while (at - known < 0 || known == NEVER) {
            if (nextEnd.compareAndSet(known, at)) {
                timers.later(at - timers.nanoTime(), () -> endOld(at));
                return;
            }
            known = nextEnd.get();
        }
    }

    private void endOld(long scheduledFor) {
        if (!nextEnd.compareAndSet(scheduledFor, NEVER)) {
            return; // an earlier end has been scheduled
        }
        long next = NEVER;
        for (ZooKeeperGrant each : held.values()) {
            long left = each.endsAt() - timers.nanoTime();
            if (left <= 0) {
                end(each);
            } else if (next == NEVER || each.endsAt() - next < 0) {
                next = each.endsAt();
            }
        }
        if (next != NEVER) {
            endsAt(next);
        }
    }

    private void end(ZooKeeperGrant grant) {
        if (remove(grant)) {
            listener.lost(grant, "its lease has ended");
            deletes.delete(grant.session(), grant.path(), grant.room());
        }
    }

    // --- waiters of other JVMs

    /** Others already waited when it was granted; called once the engine has the grant. */
    public void othersWait(ZooKeeperGrant grant) {
        listener.waiters(grant, true);
    }

    /**
     * There is a waiter in this JVM: watches for waiters of other JVMs. Until an answer, there are assumed to be some. All news
     * of waiters comes from lists in one session, whose answers arrive in the order of the requests, so older news never
     * replaces newer news.
     */
    public void watchForWaiters(ZooKeeperGrant grant) {
        if (grant.ended() || !grant.hint()) {
            return;
        }
        listener.waiters(grant, true);
        look(grant);
    }

    /**
     * Does the same for a grant that nobody holds, but until the answer nobody is assumed to wait. In the meantime, another
     * reader's grant of the name may have had the watch, and its news.
     */
    public void watchWhileIdle(ZooKeeperGrant grant) {
        if (!grant.ended() && (grant.hint() || watchedForWaiters.get(grant.container()) != grant)) {
            look(grant);
        }
    }

    private void look(ZooKeeperGrant grant) {
        String container = grant.container();
        watchedForWaiters.put(container, grant);
        if (grant.ended()) {
            watchedForWaiters.remove(container, grant);
            return;
        }
        list(container, grant);
    }

    private void childrenChanged(String container) {
        ZooKeeperGrant grant = watchedForWaiters.get(container);
        if (grant == null) {
            return;
        }
        if (grant.claim().exclusive()) {
            // Nobody else had a node, so somebody has come: a lock that is only kept is given back without asking first
            listener.waiters(grant, true);
        }
        if (!grant.ended()) {
            list(container, grant);
        }
    }

    private void list(String container, ZooKeeperGrant grant) {
        grant.session().zk().getChildren(container, this, this, grant);
    }

    @Override
    public void processResult(int rc, String container, Object ctx, List<String> children) {
        var grant = (ZooKeeperGrant) ctx;
        if (rc != Code.OK.intValue() || grant.ended()) {
            return;
        }
        boolean others = grant.claim().exclusive() ? children.size() > 1 : order.anyAlone(children, grant.node());
        if (others) {
            watchedForWaiters.remove(container, grant); // nothing more to learn
        }
        listener.waiters(grant, others);
    }
}
