package io.quarkiverse.lock.zookeeper.claim;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.zookeeper.errors.ReplyCodes;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.CreationOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.NodeRoom;
import io.quarkiverse.lock.zookeeper.session.Session;

/**
 * A claim's node, from its creation until it holds the lock: created and listed in one round trip, and listed again when the
 * node before it has gone, unless that was the only one. Answers arrive one after another on the event thread of the session;
 * calls from elsewhere only increment {@link #looks}, or end the claim.
 */
final class ClaimNode implements Create2Callback, ChildrenCallback, VoidCallback, CreationOrder.Next {

    private static final AtomicIntegerFieldUpdater<ClaimNode> LEFT = AtomicIntegerFieldUpdater
            .newUpdater(ClaimNode.class, "left");

    private final PendingClaim pending;
    private final Claim claim;
    private final Session session;
    private final ClaimNodes nodes;
    private final NodeOrder order;
    private final GrantDecision decision;
    private final WaitingNodes waiting;
    private final NodeRoom.Share room;
    private final AtomicInteger looks = new AtomicInteger(1); // the creation lists as well

    private final Creation creation = new Creation();
    private long sentAt;
    private boolean syncs;
    /** Whether the last list is at least as recent as what the leader knew when asked. */
    private boolean synced;
    private boolean readOnly; // the server had no leader to ask, so a list from it proves nothing
    /** Whether the last list left a watch on the container, as it does for a node that may wait for room. */
    private boolean watching;
    private long czxid;
    /** Most nodes never wait. */
    private volatile @Nullable PredecessorWatch predecessor;
    /** The node belongs to a grant, or is to be deleted. */
    private volatile int left;
    private volatile boolean gone;
    private volatile @Nullable String path;

    ClaimNode(PendingClaim pending, Session session, NodeRoom.Share room, ClaimNodes nodes, NodeOrder order,
            GrantDecision decision, WaitingNodes waiting) {
        this.pending = pending;
        this.claim = pending.claim();
        this.session = session;
        this.room = room;
        this.nodes = nodes;
        this.order = order;
        this.decision = decision;
        this.waiting = waiting;
    }

    // --- its creation

    void create() {
        creation.begins();
        synced = false;
        sentAt = decision.now();
        nodes.create(this, pending);
    }

    /** The answer to the creation of the node, or of its container. */
    @Override
    public void processResult(int rc, String asked, Object container, String name, Stat stat) {
        if (container != null) {
            creation.containerAnswered(rc, asked);
        } else if (rc == Code.OK.intValue()) {
            session.confirmed(sentAt, decision.now());
            created(name, stat); // if its container could not be created, somebody else has created it meanwhile
        } else {
            creation.failed(rc, asked);
        }
    }

    private void created(String name, Stat stat) {
        czxid = stat.getCzxid();
        path = name;
        creation.done();
        nodes.created(pending, name);
        if (pending.over()) {
            nodes.delete(this, pending, name); // the end of the claim may not have known of the node
        }
    }

    // --- its place in the queue

    /** Its place may have changed. */
    void look() {
        if (looks.getAndIncrement() == 0) {
            list();
        }
    }

    /** The node that it watches has gone. */
    void predecessorGone() {
        if (looks.getAndIncrement() == 0) {
            predecessor().gone();
        }
    }

    void list() {
        list(false);
    }

    /** Lists the container. Asks the leader first if a grant needs that, or to be sure that the node has gone. */
    private void list(boolean reliably) {
        if (pending.over()) {
            leave();
            return;
        }
        looks.set(1);
        if (pending.waitsForRoom()) {
            predecessor().watchAll(); // before the list is requested, as its watch may fire before its order is known
        }
        sentAt = decision.now();
        synced = false;
        syncs = reliably || creation.state() != Creation.State.DONE || !decision.certain(claim, session, sentAt);
        nodes.list(this, pending, syncs);
    }

    /** Nothing to do until {@link #look}. */
    void rest() {
        if (!looks.compareAndSet(1, 0)) {
            list();
        }
    }

    @Override
    public void processResult(int rc, String asked, Object ctx) {
        synced = rc == Code.OK.intValue();
        readOnly = rc == Code.NOTREADONLY.intValue();
        if (synced) {
            session.confirmed(sentAt, decision.now());
        }
    }

    @Override
    public void processResult(int rc, String container, Object listed, List<String> children) {
        Creation.State created = creation.state();
        boolean over = pending.over();
        if (created.certainlyNot() && (over || created != Creation.State.NO_CONTAINER)) {
            room.free();
        }
        if (over) {
            leave();
        } else if (session.over()) {
            lostPlace();
        } else if (created == Creation.State.NO_CONTAINER) {
            nodes.createContainer(this, pending);
            create();
        } else if (created == Creation.State.NO_ROOT) {
            pending.rootMissing(session); // creates it, and resumes the claim
            lostPlace();
        } else if (created == Creation.State.REFUSED) {
            pending.failed(creation.refusal(), creation.refusedPath());
        } else if (rc != Code.OK.intValue() && rc != Code.NONODE.intValue()) {
            failed(rc, container);
        } else if (listed != null && syncs && !synced && readOnly) {
            disconnected();
        } else if (!synced && (listed != null ? syncs : created == Creation.State.NO_REPLY)) {
            again(); // the container may be there, or have other nodes, at the leader
        } else if (rc == Code.NONODE.intValue()) {
            noContainer();
        } else {
            watching = listed != null;
            listed(container, children);
        }
    }

    void failed(int rc, String asked) {
        if (ReplyCodes.connectionLost(rc)) {
            disconnected();
        } else if (ReplyCodes.busy(rc)) {
            again();
        } else {
            pending.failed(rc, asked);
        }
    }

    private void noContainer() {
        if (creation.state() == Creation.State.DONE) {
            deleted(); // with its container
        } else {
            create();
        }
    }

    private void listed(String container, List<String> children) {
        if (creation.state() == Creation.State.DONE) {
            order.read(session.zk(), container, children, this);
        } else {
            NodeSearch.begin(this, container, children, pending.prefix());
        }
    }

    /** The creation got no reply, but has happened. */
    void found(String name, Stat stat) {
        created(name, stat);
        list();
    }

    @Override
    public void unordered(int rc, String asked) {
        failed(rc, asked);
    }

    @Override
    public void ordered(List<String> children, Map<String, Long> czxids) {
        if (pending.over()) {
            leave();
        } else if (session.over()) {
            lostPlace();
        } else {
            decide(pending.container(), children, czxids);
        }
    }

    private void decide(String container, List<String> children, Map<String, Long> czxids) {
        NodeOrder.Place place;
        try {
            place = order.place(children, czxids, path.substring(container.length() + 1));
        } catch (NodeOrder.ForeignNodeException e) {
            pending.foreign(e.getMessage());
            return;
        }
        if (place.holds()) {
            enter(place, true);
        } else if (!place.here() && !synced) {
            list(true);
        } else if (!place.here()) {
            deleted();
        } else if (claim.waits()) {
            predecessor().waitFor(container, path, place, watching);
        } else if (claim.mode() == LockMode.SHARED && place.before().equals(place.first())) {
            predecessor().readBesideOrGiveUp(container, place);
        } else {
            giveUp(container, place);
        }
    }

    /**
     * The only node before it has gone, so it holds the lock. It lists only if the leader has to confirm the session for that.
     */
    void succeed(NodeOrder.Place before) {
        long now = decision.now();
        if (decision.certain(claim, session, now)) {
            sentAt = now;
            synced = false;
            enter(before, false);
        } else {
            list();
        }
    }

    /**
     * It holds the lock: alone, with others, or beside an exclusive holder that lets readers in.
     *
     * @param listed whether its place is up to date; otherwise others may have come behind it
     */
    void enter(NodeOrder.Place place, boolean listed) {
        forgetPredecessor();
        if (session.over() || decision.impossible(session)) {
            lostPlace(); // if the session is too short, the claim is then refused, and deletes the node
            return;
        }
        ZooKeeperGrant grant = decision.grant(claim, session, room, path, pending.container().length() + 1, czxid,
                sentAt);
        if (grant == null && synced) {
            again(); // there was a pause, and the leader is about to hear that it is over
        } else if (grant == null) {
            list(true);
        } else if (LEFT.compareAndSet(this, 0, 1)) {
            if (place.followed()) {
                nodes.entered(this, pending, path);
            }
            if (!listed) {
                grant.forgetWaiters();
            }
            if (!pending.granted(grant, place.behind() > 0)) {
                nodes.delete(this, pending, path);
            }
        }
    }

    /** Somebody has deleted the node. */
    private void deleted() {
        room.free();
        lostPlace();
    }

    /** The node is gone, or useless: the claim creates another. */
    void lostPlace() {
        forgetPredecessor();
        gone = true;
        pending.resume();
    }

    /** Whether nobody needs the node any more. */
    boolean over() {
        return gone || pending.over();
    }

    // --- the wait

    private PredecessorWatch predecessor() {
        PredecessorWatch known = predecessor;
        if (known == null) {
            known = new PredecessorWatch(pending, this, waiting);
            predecessor = known;
        }
        return known;
    }

    private void forgetPredecessor() {
        PredecessorWatch known = predecessor;
        if (known != null) {
            known.forget();
        }
    }

    // --- trouble

    /** Repeats the request when the connection is back, maybe in another session. */
    void disconnected() {
        pending.disconnected();
        waiting.resumeLater(this);
    }

    void again() {
        waiting.listLater(this);
    }

    /** The connection is back, with the same session. */
    void reconnected(Session again) {
        if (again == session) {
            claim.trouble(null);
            look();
        }
    }

    /** After {@link #disconnected}. */
    void resume() {
        if (session.over()) {
            lostPlace();
        } else {
            list();
        }
    }

    Session session() {
        return session;
    }

    NodeRoom.Share room() {
        return room;
    }

    // --- its end

    /** The claim does not wait: deletes the node before it answers. */
    void giveUp(String container, NodeOrder.Place place) {
        leave();
        predecessor().answerBusy(container, place);
    }

    /** Deletes the node, if there is one: now, or when it is known. */
    void leave() {
        forgetPredecessor();
        waiting.forget(this);
        String whole = path;
        if (whole == null && creation.state() != Creation.State.NO_REPLY) {
            return; // the creation is in flight, and the node is deleted afterwards
        }
        if (LEFT.compareAndSet(this, 0, 1) || whole == null) { // a node created after the first search had no reply either
            nodes.delete(this, pending, whole);
        }
    }
}
