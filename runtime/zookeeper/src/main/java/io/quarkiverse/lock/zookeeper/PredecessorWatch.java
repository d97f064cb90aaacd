package io.quarkiverse.lock.zookeeper;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Busy;

/**
 * What a node in line waits for: the end of the nearest one that is in its way, or room among all who are counted. One watch
 * tells of it. Meanwhile the claim knows who holds the lock.
 */
final class PredecessorWatch implements DataCallback {

    private final ZooKeeperLockBackend backend;
    private final PendingClaim pending;
    private final ClaimNode node;
    private final Session session;

    private volatile @Nullable String watched;
    /** What keeps out a claim that does not wait. */
    private @Nullable String inTheWay;
    /** It is not whoever holds the lock, but somebody who waits for that. */
    private boolean couldJoin;
    private @Nullable String heldBy;

    PredecessorWatch(ZooKeeperLockBackend backend, PendingClaim pending, ClaimNode node) {
        this.backend = backend;
        this.pending = pending;
        this.node = node;
        this.session = node.session();
    }

    /** @param watching whether the container is watched since the look that has shown this */
    void waitFor(String container, NodeOrder.Place place, boolean watching) {
        if (place.full()) {
            waitForRoom(container, place, watching);
            return;
        }
        String nearest = container + '/' + place.before();
        wakeAt(nearest);
        boolean holder = place.before().equals(place.first());
        if (!holder) {
            ask(container + '/' + place.first(), place);
        }
        session.zk().getData(nearest, backend.watches(), this, holder ? place : null);
    }

    /** Whoever goes makes room, and who gets it goes nowhere: so this one looks at all. A JVM waits but once for a name. */
    private void waitForRoom(String container, NodeOrder.Place place, boolean watching) {
        if (!watching) {
            node.list();
            return;
        }
        wakeAt(container);
        ask(container + '/' + place.first(), place);
        waiting();
    }

    private void ask(String holder, @Nullable Object holds) {
        session.zk().getData(holder, false, this, holds);
    }

    private void wakeAt(String path) {
        if (!path.equals(watched)) {
            forget();
            watched = path;
        }
        backend.watches().add(path, node);
    }

    private void waiting() {
        pending.claim().stillTaken();
        node.rest();
        if (pending.over()) {
            node.leave(); // whoever has ended the claim may not have known of the watch
        }
    }

    /** Not to wait: the answer is who has it, as long as what keeps the claim out is there. */
    void tell(String container, NodeOrder.Place place) {
        String holder = container + '/' + place.first();
        inTheWay = pending.claim().exclusive() ? holder : container + '/' + place.before();
        couldJoin = !inTheWay.equals(holder);
        if (couldJoin) {
            ask(holder, null);
        }
        ask(inTheWay, null);
    }

    private void told(int rc, String asked, byte[] data) {
        String owner = rc == Code.OK.intValue() ? NodeData.of(data).owner() : null;
        if (!asked.equals(inTheWay)) {
            heldBy = owner;
            return;
        }
        if (rc == Code.NONODE.intValue() && pending.mayTryAgain()) {
            node.lostPlace(); // what it would have waited for has gone, and maybe had given up as well
            return;
        }
        if (heldBy == null && owner != null) {
            heldBy = couldJoin ? owner + ", which waited for it a moment ago" : owner;
        }
        pending.answered(new Busy(heldBy));
    }

    /** Of the node before it, or of a holder. */
    @Override
    public void processResult(int rc, String asked, @Nullable Object holds, byte[] data, Stat stat) {
        if (inTheWay != null) {
            told(rc, asked, data);
            return;
        }
        if (rc == Code.OK.intValue() && holds != null) {
            pending.claim().heldBy(NodeData.of(data).owner());
        }
        if (!asked.equals(watched)) {
            return;
        }
        if (rc == Code.OK.intValue()) {
            waiting();
        } else if (rc == Code.NONODE.intValue()) {
            node.list();
        } else if (ErrorMessages.connectionLost(rc)) {
            node.disconnected();
        } else if (ErrorMessages.busy(rc)) {
            node.again();
        } else {
            pending.fail(backend.explain().failure(pending.claim().name(), rc, asked));
        }
    }

    /** It does not wait for that any more. */
    void forget() {
        String path = watched;
        if (path != null) {
            backend.watches().remove(path, node);
        }
    }
}
