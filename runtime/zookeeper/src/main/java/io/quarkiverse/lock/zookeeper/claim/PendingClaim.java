package io.quarkiverse.lock.zookeeper.claim;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.errors.Refusal;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.NodeRoom;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.SessionWaiters;
import io.quarkiverse.lock.zookeeper.session.Timers;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A claim until it is answered, with one node after another, since a node goes with its session. It is its own Uni, not an
 * emitter: an emitter drops the item if the subscriber cancels at the same time, and then nobody would release that grant.
 */
public final class PendingClaim extends AbstractUni<Answer>
        implements UniSubscription, SessionWaiters.Waiter, Timers.Timed {

    private static final AtomicIntegerFieldUpdater<PendingClaim> OVER = AtomicIntegerFieldUpdater
            .newUpdater(PendingClaim.class, "over");
    private static final int MAX_TRIES = 4;
    private static final AtomicReferenceFieldUpdater<PendingClaim, ClaimNode> NODE = AtomicReferenceFieldUpdater
            .newUpdater(PendingClaim.class, ClaimNode.class, "node");

    private final SessionTracker sessions;
    private final Timers timers;
    private final ErrorMessages errors;
    private final HeldGrants held;
    private final ClaimNodes nodes;
    private final Claim claim;
    private final String container;
    private final String prefix;

    private UniSubscriber<? super Answer> subscriber;
    private long deadline;
    private int tries;
    /** Answered, or withdrawn: the thread that sets it takes care of the node. */
    private volatile int over;
    private volatile @Nullable ClaimNode node;

    /** @param prefix the path of the claim's node without its number */
    public PendingClaim(SessionTracker sessions, Timers timers, ErrorMessages errors, HeldGrants held,
            ClaimNodes nodes, Claim claim, String container, String prefix) {
        this.sessions = sessions;
        this.timers = timers;
        this.errors = errors;
        this.held = held;
        this.nodes = nodes;
        this.claim = claim;
        this.container = container;
        this.prefix = prefix;
    }

    @Override
    public void subscribe(UniSubscriber<? super Answer> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        if (!claim.waits()) {
            deadline = timers.deadline();
            timers.limit(this);
        }
        resume();
    }

    /** Creates a node, as soon as there is a session. */
    @Override
    public void resume() {
        ClaimNode last = node;
        if (last != null && !last.over() || over()) {
            return;
        }
        Session session = sessions.usable();
        if (session == null) {
            park();
            return;
        }
        NodeRoom.Share room = session.room().take(prefix);
        if (room == null) {
            fail(errors.noRoom(claim.name(), session.room().most()));
            return;
        }
        var next = nodes.next(this, session, room);
        if (NODE.compareAndSet(this, last, next)) {
            claim.trouble(null);
            next.create();
        } else {
            room.free();
        }
    }

    private void park() {
        if (!sessions.connected()) {
            disconnected();
        }
        sessions.park(this);
        if (over()) {
            sessions.unpark(this);
        }
    }

    @Override
    public void refused(Refusal refusal) {
        fail(errors.refused(claim.name(), refusal));
    }

    // --- the answer

    boolean over() {
        return over != 0;
    }

    /** {@code false} if it was answered or withdrawn before. */
    private boolean end() {
        return OVER.compareAndSet(this, 0, 1);
    }

    /** Hands out the grant; {@code false} if the claim was withdrawn before. */
    boolean granted(ZooKeeperGrant grant, boolean othersWait) {
        if (!end()) {
            return false;
        }
        boolean certainly = othersWait && grant.knowsWaiters();
        held.add(grant, certainly);
        subscriber.onItem(grant);
        held.delivered(grant);
        if (claim.mode() == LockMode.SHARED && !certainly) {
            held.watchForWaiters(grant); // other readers of this JVM will join it, but not once a writer waits
        } else if (othersWait) {
            held.othersWait(grant);
        }
        return true;
    }

    /** The node is deleted already, or about to be. */
    void answered(Answer answer) {
        if (end()) {
            subscriber.onItem(answer);
        }
    }

    private void fail(Throwable failure) {
        if (end()) {
            try {
                subscriber.onFailure(failure);
            } finally {
                leave();
            }
        }
    }

    /** The answer is no longer needed. A subscriber that has received it does not cancel, or undoes it itself. */
    @Override
    public void cancel() {
        if (end()) {
            leave();
        }
    }

    /** The claim does not wait, and was kept out by a node that is gone. */
    boolean mayTryAgain() {
        return ++tries < MAX_TRIES;
    }

    private void leave() {
        sessions.unpark(this);
        ClaimNode last = node;
        if (last != null) {
            last.leave();
        }
    }

    // --- its time

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public boolean done() {
        return over();
    }

    @Override
    public void timedOut() {
        fail(errors.unreachable(claim.name(), sessions.connected()));
    }

    // --- for its node

    void failed(int rc, String path) {
        fail(errors.failure(claim.name(), rc, path));
    }

    void foreign(String child) {
        fail(errors.foreign(claim.name(), container, child));
    }

    void disconnected() {
        claim.trouble(errors.disconnected(claim.name()));
    }

    void nodeDeleted(String path) {
        held.deleted(path);
    }

    void rootMissing(Session session) {
        sessions.checkRoot(session);
    }

    Claim claim() {
        return claim;
    }

    /** Whether it may be the one that waits for any holder to make room. */
    boolean waitsForRoom() {
        return claim.waits() && claim.limit() > 0;
    }

    String container() {
        return container;
    }

    String prefix() {
        return prefix;
    }
}
