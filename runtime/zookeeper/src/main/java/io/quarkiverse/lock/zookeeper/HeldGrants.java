package io.quarkiverse.lock.zookeeper;

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
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM holds, by the path of its node. A node that outlives a moment is watched, so that its end is known at once when
 * somebody deletes it; one whose lease ends without renewal is deleted here.
 */
final class HeldGrants implements DataCallback, ChildrenCallback {

    /** Most holds are over before, and cost no watch. */
    private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long NEVER = Long.MAX_VALUE;

    private final ZooKeeperLockBackend backend;
    private final ConcurrentMap<String, ZooKeeperGrant> held = new ConcurrentHashMap<>();
    /** Those whose children are watched for others that wait, by container. */
    private final ConcurrentMap<String, ZooKeeperGrant> crowds = new ConcurrentHashMap<>();
    private final Queue<ZooKeeperGrant> unwatched = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private final AtomicLong nextEnd = new AtomicLong(NEVER);

    HeldGrants(ZooKeeperLockBackend backend) {
        this.backend = backend;
    }

    void add(ZooKeeperGrant grant) {
        held.put(grant.path(), grant);
        unwatched.add(grant);
        tick();
        endsAt(grant.endsAt());
    }

    /** Takes it out; {@code false} if it was out already. */
    boolean remove(ZooKeeperGrant grant) {
        boolean first = grant.end(); // before looking for it among the crowds: who puts it there looks at that afterwards
        held.remove(grant.path(), grant);
        if (grant.hinted()) {
            crowds.remove(grant.container(), grant);
        }
        return first;
    }

    @Nullable
    ZooKeeperGrant at(String path) {
        return held.get(path);
    }

    /** When the last of them ends without renewal; long ago if there are none. */
    long lastEnd() {
        long last = backend.time().nanoTime() - 1;
        for (ZooKeeperGrant each : held.values()) {
            if (each.endsAt() - last > 0) {
                last = each.endsAt();
            }
        }
        return last;
    }

    // --- what happens to all of them

    void suspectAll() {
        for (ZooKeeperGrant each : held.values()) {
            backend.listener().suspect(each);
        }
    }

    /** What they were granted for counts by the shorter time at once, though nothing has confirmed them under it yet. */
    void shortened(Session session) {
        for (ZooKeeperGrant each : held.values()) {
            if (each.session() == session) {
                each.shortened();
                backend.listener().suspect(each);
                endsAt(each.endsAt());
            }
        }
    }

    void ended(Session session) {
        for (ZooKeeperGrant each : List.copyOf(held.values())) {
            if (each.session() == session) {
                lost(each, "the ZooKeeper session has expired");
            }
        }
    }

    private void lost(ZooKeeperGrant grant, String reason) {
        if (remove(grant)) {
            backend.listener().lost(grant, reason);
        }
    }

    // --- the node is deleted by somebody else

    private void tick() {
        if (!ticking.get() && ticking.compareAndSet(false, true)) {
            backend.later(MOMENT, this::watchOld);
        }
    }

    private void watchOld() {
        long now = backend.time().nanoTime();
        try {
            for (ZooKeeperGrant oldest = unwatched.peek(); oldest != null
                    && (oldest.ended() || now - oldest.grantedAt() >= MOMENT); oldest = unwatched.peek()) {
                unwatched.poll();
                if (!oldest.ended() && !oldest.watched()) {
                    watch(oldest);
                }
            }
        } finally {
            ticking.set(false);
            if (!unwatched.isEmpty()) {
                tick();
            }
        }
    }

    /** By reading it: asking whether it exists would leave a watch even where there is nothing. */
    private void watch(ZooKeeperGrant grant) {
        grant.session().zk().getData(grant.path(), backend.watches(), this, grant);
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        var grant = (ZooKeeperGrant) ctx;
        if (rc == Code.OK.intValue()) {
            tellIfAsked(grant, data);
            grant.nowWatched();
        } else if (rc == Code.NONODE.intValue()) {
            lost(grant, "its node in ZooKeeper was deleted");
        }
        // Otherwise the connection was lost; the renewal after its return watches it
    }

    /** What is in the node has changed: somebody may ask for it. */
    void changed(String path) {
        ZooKeeperGrant grant = held.get(path);
        if (grant != null) {
            watch(grant);
        }
    }

    void tellIfAsked(ZooKeeperGrant grant, byte[] data) {
        if (NodeData.asked(data)) {
            backend.listener().releaseRequested(grant);
        }
    }

    /** Somebody asks for the node of this path. */
    void asked(String path) {
        ZooKeeperGrant grant = held.get(path);
        if (grant != null) {
            backend.listener().releaseRequested(grant);
        }
    }

    void deleted(String path) {
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
                backend.later(at - backend.time().nanoTime(), () -> endOld(at));
                return;
            }
            known = nextEnd.get();
        }
    }

    private void endOld(long scheduledFor) {
        if (!nextEnd.compareAndSet(scheduledFor, NEVER)) {
            return; // an earlier one has taken over
        }
        long next = NEVER;
        for (ZooKeeperGrant each : held.values()) {
            long left = each.endsAt() - backend.time().nanoTime();
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
            backend.listener().lost(grant, "its lease has ended");
            backend.leftovers().delete(grant.session(), grant.path());
        }
    }

    // --- others that wait

    /** Somebody waits for it here: worth knowing whether others do elsewhere. Until that is known, they do. */
    void crowded(ZooKeeperGrant grant) {
        if (grant.ended() || !grant.hint()) {
            return;
        }
        backend.listener().waiters(grant, true);
        String container = grant.container();
        crowds.put(container, grant);
        if (grant.ended()) {
            crowds.remove(container, grant);
            return;
        }
        look(container, grant);
    }

    void childrenChanged(String container) {
        ZooKeeperGrant grant = crowds.get(container);
        if (grant != null) {
            look(container, grant);
        }
    }

    private void look(String container, ZooKeeperGrant grant) {
        grant.session().zk().getChildren(container, backend.watches(), this, grant);
    }

    @Override
    public void processResult(int rc, String container, Object ctx, List<String> children) {
        var grant = (ZooKeeperGrant) ctx;
        if (rc != Code.OK.intValue() || grant.ended()) {
            return;
        }
        boolean others = grant.claim().exclusive() ? children.size() > 1 : backend.line().anyAlone(children);
        if (others) {
            crowds.remove(container, grant); // enough is known
        }
        backend.listener().waiters(grant, others);
    }
}
