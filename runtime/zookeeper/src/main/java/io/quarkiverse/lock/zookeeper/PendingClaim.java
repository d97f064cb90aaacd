package io.quarkiverse.lock.zookeeper;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A claim until it is answered: one node in line after the other, since a node goes with its session. It is its own Uni, and
 * not an emitter: that one forgets an item which it emits while the subscriber cancels, and with it a grant that nobody would
 * release.
 */
final class PendingClaim extends AbstractUni<Answer>
        implements UniSubscription, SessionWaiters.SessionWaiter, RequestTimeouts.Timed {

    private static final AtomicIntegerFieldUpdater<PendingClaim> OVER = AtomicIntegerFieldUpdater
            .newUpdater(PendingClaim.class, "over");
    private static final int MOST_TRIES = 4;
    private static final AtomicReferenceFieldUpdater<PendingClaim, ClaimNode> NODE = AtomicReferenceFieldUpdater
            .newUpdater(PendingClaim.class, ClaimNode.class, "node");

    private final ZooKeeperLockBackend backend;
    private final Claim claim;
    private final String container;
    private final String prefix;

    private UniSubscriber<? super Answer> subscriber;
    private long deadline;
    private int tries;
    /** Answered, or withdrawn: whoever sets it has to see to the node. */
    private volatile int over;
    private volatile @Nullable ClaimNode node;

    PendingClaim(ZooKeeperLockBackend backend, Claim claim) {
        this.backend = backend;
        this.claim = claim;
        this.container = backend.paths().container(claim.name());
        this.prefix = backend.paths().prefix(container, claim);
    }

    @Override
    public void subscribe(UniSubscriber<? super Answer> subscriber) {
        this.subscriber = subscriber;
        subscriber.onSubscribe(this);
        if (!claim.waits()) {
            deadline = backend.deadlines().next();
            backend.deadlines().add(this);
        }
        resume();
    }

    /** Stands in line, as soon as there is a session. */
    @Override
    public void resume() {
        ClaimNode last = node;
        if (over() || last != null && !last.gone()) {
            return;
        }
        Session session = backend.link().usable();
        if (session == null) {
            park();
            return;
        }
        var next = new ClaimNode(backend, this, session);
        if (NODE.compareAndSet(this, last, next)) {
            claim.trouble(null);
            next.create();
        }
    }

    private void park() {
        if (!backend.link().connected()) {
            claim.trouble(backend.explain().disconnected(claim.name()));
        }
        backend.link().park(this);
        if (over()) {
            backend.link().unpark(this);
        }
    }

    @Override
    public void refused(SessionWaiters.Refusal refusal) {
        fail(backend.explain().refused(claim.name(), refusal));
    }

    // --- the answer

    boolean over() {
        return over != 0;
    }

    /** For whoever gives the answer, or withdraws the claim. */
    private boolean end() {
        return OVER.compareAndSet(this, 0, 1);
    }

    /** Whether the grant was handed out; otherwise it was withdrawn, and whoever did that sees to the node. */
    boolean granted(ZooKeeperGrant grant, boolean othersWait) {
        if (!end()) {
            return false;
        }
        backend.grants().add(grant);
        if (othersWait) {
            grant.hint();
        }
        subscriber.onItem(grant);
        if (othersWait) {
            backend.listener().waiters(grant, true);
        } else if (claim.mode() == LockMode.SHARED) {
            backend.grants().crowded(grant); // other readers will join it here, but not once a writer waits
        }
        return true;
    }

    /** The node is gone already, or about to be. */
    void answered(Answer answer) {
        if (end()) {
            subscriber.onItem(answer);
        }
    }

    void fail(Throwable failure) {
        if (end()) {
            subscriber.onFailure(failure);
            leave();
        }
    }

    /** Nobody wants the answer any more. A subscriber that has it does not come here, or undoes it itself. */
    @Override
    public void cancel() {
        if (end()) {
            leave();
        }
    }

    /** One that does not wait, and was kept out by something that is not there any more. */
    boolean mayTryAgain() {
        return ++tries < MOST_TRIES;
    }

    private void leave() {
        backend.link().unpark(this);
        ClaimNode last = node;
        if (last != null) {
            last.leave();
        }
    }

    // --- in time

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
        fail(backend.explain().unreachable(claim.name(), backend.link().connected()));
    }

    // --- for the node

    Claim claim() {
        return claim;
    }

    String container() {
        return container;
    }

    String prefix() {
        return prefix;
    }
}
