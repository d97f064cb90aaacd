package io.quarkiverse.lock.zookeeper;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;

/**
 * A claim's node, from its creation until it is first in line: created and looked at in one round trip, and looked at again
 * whenever the one before it has gone. Its answers come one after the other on the event thread of the session; what comes from
 * elsewhere only counts up {@link #looks}, or ends the claim.
 */
final class ClaimNode implements Create2Callback, ChildrenCallback, VoidCallback, StatCallback {

    private static final AtomicIntegerFieldUpdater<ClaimNode> LEFT = AtomicIntegerFieldUpdater
            .newUpdater(ClaimNode.class, "left");
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(50);

    private enum Created {
        UNKNOWN,
        YES,
        NO_ROOT,
        NO_CONTAINER,
        NO_REPLY,
        REFUSED
    }

    private final ZooKeeperLockBackend backend;
    private final PendingClaim pending;
    private final Claim claim;
    private final Session session;
    private final AtomicInteger looks = new AtomicInteger(1); // the creation is a look as well

    private volatile Created created = Created.UNKNOWN;
    private int refusal;
    private String refusedPath = "";
    private long sentAt;
    private boolean synced;
    private long czxid;
    /** Most never wait. */
    private volatile @Nullable PredecessorWatch ahead;
    /** The node is somebody else's to care for: of the grant, of whoever deletes it. */
    private volatile int left;
    private volatile boolean gone;
    private volatile @Nullable String path;

    ClaimNode(ZooKeeperLockBackend backend, PendingClaim pending, Session session) {
        this.backend = backend;
        this.pending = pending;
        this.claim = pending.claim();
        this.session = session;
    }

    // --- there

    void create() {
        created = Created.UNKNOWN;
        sentAt = backend.time().nanoTime();
        session.zk().create(pending.prefix(), backend.data(claim.leaseNanos()), backend.options().acl(),
                CreateMode.EPHEMERAL_SEQUENTIAL, (Create2Callback) this, null);
        session.zk().getChildren(pending.container(), false, (ChildrenCallback) this, null);
    }

    /** The node, or the container for it. */
    @Override
    public void processResult(int rc, String asked, Object container, String name, Stat stat) {
        if (container != null) {
            if (rc == Code.NONODE.intValue()) {
                created = Created.NO_ROOT;
            } else if (rc != Code.OK.intValue() && rc != Code.NODEEXISTS.intValue()) {
                refused(rc, asked);
            }
            return;
        }
        if (rc == Code.OK.intValue()) {
            created(name, stat); // if its container could not be made, somebody else has made one by now
        } else if (created == Created.REFUSED || created == Created.NO_ROOT) {
            return; // the node has failed with its container
        } else if (rc == Code.NONODE.intValue()) {
            created = Created.NO_CONTAINER;
        } else if (ErrorMessages.connectionLost(rc) || ErrorMessages.busy(rc) || rc == Code.NODEEXISTS.intValue()) {
            created = Created.NO_REPLY; // or there is one of an earlier session, which has the last number too
        } else {
            refused(rc, asked);
        }
    }

    private void refused(int rc, String asked) {
        created = ErrorMessages.connectionLost(rc) || ErrorMessages.busy(rc) ? Created.NO_REPLY : Created.REFUSED;
        refusal = rc;
        refusedPath = asked;
    }

    private void created(String name, Stat stat) {
        czxid = stat.getCzxid();
        path = name;
        created = Created.YES;
        backend.counters().created(pending.container(), name, pending.prefix().length());
        if (pending.over()) {
            backend.leftovers().delete(session, name); // whoever has ended the claim may not have known of it
        }
    }

    private void createContainer() {
        session.zk().create(pending.container(), new byte[0], backend.options().acl(), CreateMode.CONTAINER,
                (Create2Callback) this, this);
        create();
    }

    // --- where in line

    /** Something has happened that may have changed its place. */
    void look() {
        if (looks.getAndIncrement() == 0) {
            list();
        }
    }

    void list() {
        if (pending.over()) {
            leave();
            return;
        }
        looks.set(1);
        sentAt = backend.time().nanoTime();
        synced = false;
        session.zk().sync(pending.container(), this, null);
        session.zk().getChildren(pending.container(), claim.limit() > 0 ? backend.watches() : null, this, this);
    }

    /** This look is over. */
    void rest() {
        if (!looks.compareAndSet(1, 0)) {
            list();
        }
    }

    @Override
    public void processResult(int rc, String asked, Object ctx) {
        synced = rc == Code.OK.intValue();
    }

    @Override
    public void processResult(int rc, String container, Object listed, List<String> children) {
        if (pending.over()) {
            leave();
        } else if (session.over()) {
            lostPlace();
        } else if (created == Created.NO_CONTAINER) {
            createContainer();
        } else if (created == Created.NO_ROOT) {
            backend.link().look(session); // makes it, and resumes the claim
            lostPlace();
        } else if (created == Created.REFUSED) {
            pending.fail(backend.explain().failure(claim.name(), refusal, refusedPath));
        } else if (rc == Code.OK.intValue() && (listed == null || synced)) {
            listed(container, children, listed != null);
        } else if (rc == Code.NONODE.intValue()) {
            noContainer();
        } else if (rc == Code.OK.intValue()) {
            again();
        } else {
            failed(rc, container);
        }
    }

    private void failed(int rc, String asked) {
        if (ErrorMessages.connectionLost(rc)) {
            disconnected();
        } else if (ErrorMessages.busy(rc)) {
            again();
        } else {
            pending.fail(backend.explain().failure(claim.name(), rc, asked));
        }
    }

    private void noContainer() {
        if (created == Created.YES) {
            lostPlace(); // somebody has deleted both
        } else {
            create();
        }
    }

    private void listed(String container, List<String> children, boolean reliable) {
        if (created == Created.YES) {
            decide(container, children, reliable);
        } else if (reliable) {
            search(container, children);
        } else {
            again();
        }
    }

    /** The creation had no reply: it may have happened, and then the node is there by now. */
    private void search(String container, List<String> children) {
        String found = NodePaths.latest(container, children, pending.prefix());
        if (found == null) {
            create();
        } else {
            session.zk().exists(found, false, (StatCallback) this, found);
        }
    }

    /** What the search has found. */
    @Override
    public void processResult(int rc, String asked, Object whole, Stat stat) {
        if (rc == Code.OK.intValue() && stat.getEphemeralOwner() == session.id()) {
            created((String) whole, stat);
            list();
        } else if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
            create(); // of an earlier session, and gone soon
        } else {
            disconnected();
        }
    }

    private void decide(String container, List<String> children, boolean reliable) {
        List<String> unnumbered = backend.line().unnumbered(children);
        if (unnumbered.isEmpty()) {
            decide(container, children, Map.of(), reliable);
            return;
        }
        CreationOrder.read(session, container, children, unnumbered, new CreationOrder.Next() {
            @Override
            public void ordered(List<String> present, Map<String, Long> czxids) {
                if (pending.over()) {
                    leave();
                } else if (session.over()) {
                    lostPlace();
                } else {
                    decide(container, present, czxids, reliable);
                }
            }

            @Override
            public void unordered(int rc, String path) {
                failed(rc, path);
            }
        });
    }

    private void decide(String container, List<String> children, Map<String, Long> czxids, boolean reliable) {
        String node = path.substring(container.length() + 1);
        NodeOrder.Place place;
        try {
            place = backend.line().place(children, czxids, node);
        } catch (NodeOrder.ForeignNodeException e) {
            pending.fail(backend.explain().foreign(claim.name(), container, e.getMessage()));
            return;
        }
        if (place.holds()) {
            grant(place.behind() > 0);
        } else if (!place.here() && !reliable) {
            list();
        } else if (!place.here()) {
            lostPlace();
        } else if (!claim.waits()) {
            giveUp(container, place);
        } else {
            ahead().waitFor(container, place, reliable);
        }
    }

    private void grant(boolean othersWait) {
        forgetBefore();
        long delay = backend.options().afterLossDelay().toNanos();
        if (session.leaseNanos() <= delay) {
            lostPlace(); // it has become too short meanwhile: the claim is refused, and takes the node away
            return;
        }
        long lease = Math.min(claim.leaseNanos(), session.leaseNanos());
        long now = backend.time().nanoTime();
        if (now - sentAt > (lease - delay) / 2) {
            list(); // the answer was long on its way
            return;
        }
        var grant = new ZooKeeperGrant(backend.explain(), claim, session, path, pending.container().length() + 1, czxid,
                sentAt, lease, now);
        if (LEFT.compareAndSet(this, 0, 1) && !pending.granted(grant, othersWait)) {
            backend.leftovers().delete(session, path);
        }
    }

    /** The node is not there any more, nor wanted here: the claim takes another. */
    void lostPlace() {
        forgetBefore();
        gone = true;
        pending.resume();
    }

    boolean gone() {
        return gone;
    }

    // --- the wait

    private PredecessorWatch ahead() {
        PredecessorWatch known = ahead;
        if (known == null) {
            known = new PredecessorWatch(backend, pending, this);
            ahead = known;
        }
        return known;
    }

    private void forgetBefore() {
        PredecessorWatch known = ahead;
        if (known != null) {
            known.forget();
        }
    }

    // --- trouble

    /** Whatever was asked is asked again when the connection is back; the session may be another one then. */
    void disconnected() {
        claim.trouble(backend.explain().disconnected(claim.name()));
        backend.doubts().add(this);
    }

    void again() {
        backend.later(AGAIN, this::list);
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

    // --- away

    /** Not to wait: away first, and then the answer. */
    private void giveUp(String container, NodeOrder.Place place) {
        leave();
        ahead().tell(container, place);
    }

    /** Takes the node away, if there is one: now, or when it is known. */
    void leave() {
        forgetBefore();
        backend.doubts().remove(this);
        String whole = path;
        if (whole == null && created != Created.NO_REPLY) {
            return; // it is on its way, and taken away when it is there
        }
        if (LEFT.compareAndSet(this, 0, 1) || whole == null) { // one made since the first search had no reply either
            if (whole != null) {
                backend.leftovers().delete(session, whole);
            } else {
                backend.leftovers().search(session, pending.container(), pending.prefix());
            }
        }
    }
}
