package io.quarkiverse.lock.zookeeper.claim;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.zookeeper.errors.ReplyCodes;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.session.Session;

/**
 * What a waiting node watches: the nearest node that it must wait for, or the container if it is the first node with a limit
 * that waits for room. Meanwhile the claim knows who holds the lock.
 */
final class PredecessorWatch implements DataCallback {

    private final PendingClaim pending;
    private final ClaimNode node;
    private final Session session;
    private final WaitingNodes waiting;

    private volatile @Nullable String watched;
    /** The node that keeps out a claim that does not wait. */
    private @Nullable String inTheWay;
    /** That node does not hold the lock, but waits for it. */
    private boolean couldJoin;
    private @Nullable String heldBy;
    /** The last node that was watched: once that has got in, the waiter right behind it knows who holds the lock. */
    private String lastRead = "";
    private @Nullable String lastOwner;
    private int lastVersion;
    /** For a waiter that does not know who holds the lock. */
    private @Nullable HolderNews holderNews;
    /** The place in the last list, if the node comes first as soon as the watched one has gone. */
    private NodeOrder.@Nullable Place successor;
    /** Its own node, once it is next. */
    private @Nullable OwnNodeWatch own;

    PredecessorWatch(PendingClaim pending, ClaimNode node, WaitingNodes waiting) {
        this.pending = pending;
        this.node = node;
        this.session = node.session();
        this.waiting = waiting;
    }

    /**
     * @param path of its own node
     * @param watching whether the container has been watched since it was listed
     */
    void waitFor(String container, String path, NodeOrder.Place place, boolean watching) {
        if (place.next()) {
            waitForRoom(container, place, watching);
            return;
        }
        String nearest = container + '/' + place.before();
        wakeAt(nearest);
        boolean holder = place.before().equals(place.first());
        heldBy(holder ? null : container + '/' + place.first());
        successor = holder && succeeds(path, place.before()) ? place : null;
        if (successor != null) {
            own().watch(session.zk(), path);
        }
        session.zk().getData(nearest, waiting, this, holder ? place : null);
    }

    /**
     * Whether its node comes first once the only one before it has gone. The holder of a recipe's write lock may have made
     * another with the same number by then, for its read lock.
     */
    private boolean succeeds(String path, String first) {
        return !pending.waitsForRoom() && NodePaths.surelyOurs(first) && NodeOrder.low(path);
    }

    private OwnNodeWatch own() {
        OwnNodeWatch known = own;
        if (known == null) {
            known = new OwnNodeWatch(pending);
            own = known;
        }
        return known;
    }

    /** The watched node has gone. If that puts the claim's own node first, and that node exists, a list would say the same. */
    void gone() {
        NodeOrder.Place next = successor;
        if (next != null && own().exists()) {
            node.succeed(next);
        } else {
            node.list();
        }
    }

    /**
     * The next list leaves a watch on the container, which wakes this node. No other one waits at that path, since a JVM has
     * only one waiting claim per name.
     */
    void watchAll() {
        wakeAt(pending.container());
    }

    /** Any holder may make room, so the container is watched. */
    private void waitForRoom(String container, NodeOrder.Place place, boolean watching) {
        if (!watching) {
            node.list();
            return;
        }
        if (lastRead.equals(container + '/' + place.before())) {
            heldBy(null);
            pending.claim().heldBy(lastOwner);
        } else {
            heldBy(container + '/' + place.first());
        }
        rest();
    }

    /** @param holder the path of its node, if it is not yet known who that is */
    private void heldBy(@Nullable String holder) {
        HolderNews news = holderNews;
        if (news == null && holder != null) {
            news = new HolderNews(pending, node, waiting);
            holderNews = news;
        }
        if (news != null) {
            news.at(holder);
        }
    }

    private void ask(String holder) {
        session.zk().getData(holder, false, this, null);
    }

    private void wakeAt(String path) {
        if (!path.equals(watched)) {
            forget();
            watched = path;
        }
        waiting.add(path, node);
    }

    private void rest() {
        pending.claim().stillTaken();
        node.rest();
        if (pending.over()) {
            node.leave(); // the end of the claim may not have known of the watch
        }
    }

    /** The claim does not wait: answers who holds the lock, as long as the node that keeps the claim out exists. */
    void answerBusy(String container, NodeOrder.Place place) {
        String holder = container + '/' + place.first();
        inTheWay = pending.claim().exclusive() || place.next() ? holder : container + '/' + place.before();
        couldJoin = !inTheWay.equals(holder);
        if (couldJoin) {
            ask(holder);
        }
        ask(inTheWay);
    }

    /** A reader's claim that does not wait: the only node in its way is the holder's, which may let readers in. */
    void readBesideOrGiveUp(String container, NodeOrder.Place place) {
        session.zk().getData(container + '/' + place.first(), false, (rc, holder, ctx, data, stat) -> {
            if (rc == Code.OK.intValue() && NodeData.of(data).shared()) {
                node.enter(place, true);
            } else if (rc == Code.OK.intValue()) {
                node.giveUp(container, place);
            } else if (rc == Code.NONODE.intValue()) {
                node.list();
            } else {
                node.failed(rc, holder);
            }
        }, null);
    }

    private void answered(int rc, String asked, byte[] data) {
        String owner = rc == Code.OK.intValue() ? NodeData.of(data).owner() : null;
        if (!asked.equals(inTheWay)) {
            heldBy = owner;
            return;
        }
        if (rc == Code.NONODE.intValue() && pending.mayTryAgain()) {
            node.lostPlace(); // the node that it would have waited for is gone, maybe without having held the lock
            return;
        }
        if (heldBy == null && owner != null) {
            heldBy = couldJoin ? owner + ", which waited for it a moment ago" : owner;
        }
        pending.answered(new Busy(heldBy));
    }

    /** The data of the node before it; or of a holder, if the claim does not wait. */
    @Override
    public void processResult(int rc, String asked, @Nullable Object holds, byte[] data, Stat stat) {
        if (inTheWay != null) {
            answered(rc, asked, data);
            return;
        }
        NodeData holder = rc == Code.OK.intValue() && holds != null ? NodeData.of(data) : null;
        if (holder != null) {
            pending.claim().heldBy(holder.owner());
        }
        if (!asked.equals(watched)) {
            return;
        }
        if (holder != null && holder.shared() && pending.claim().mode() == LockMode.SHARED) {
            node.enter((NodeOrder.Place) holds, true);
            return;
        }
        if (rc == Code.OK.intValue() && stat.getEphemeralOwner() == session.id()) {
            successor = null; // if their session ends, both go, and the events come in any order
        }
        if (rc == Code.OK.intValue() && pending.waitsForRoom()) {
            read(asked, data, stat.getVersion());
        } else if (rc == Code.OK.intValue()) {
            rest();
        } else if (rc == Code.NONODE.intValue()) {
            gone();
        } else if (ReplyCodes.connectionLost(rc)) {
            node.disconnected();
        } else if (ReplyCodes.busy(rc)) {
            node.again();
        } else {
            pending.failed(rc, asked);
        }
    }

    /** The node before it may have got in between the list and this read: its data then has another version. */
    private void read(String asked, byte[] data, int version) {
        boolean news = version != (asked.equals(lastRead) ? lastVersion : 0);
        lastRead = asked;
        lastOwner = NodeData.of(data).owner();
        lastVersion = version;
        if (news) {
            node.list();
        } else {
            rest();
        }
    }

    /** The node does not wait any more. */
    void forget() {
        HolderNews news = holderNews;
        if (news != null) {
            news.at(null);
        }
        String path = watched;
        if (path != null) {
            waiting.remove(path, node);
        }
    }
}
