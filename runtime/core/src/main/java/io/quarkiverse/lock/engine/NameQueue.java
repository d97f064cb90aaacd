package io.quarkiverse.lock.engine;

import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.Uni;

/**
 * All that this JVM has to do with one name: the lease it holds, or the claim it has sent for it, and its holds waiting in
 * line.
 * <p>
 * Only the first in line is claimed for at the backend, and the claim outlives it when it gives up while others wait behind it:
 * the JVM keeps its place. Decisions are made under the guard; the backend and the waiters hear of them after it is free.
 */
final class NameQueue {

    final String name;
    final LockEngine engine;
    private final ReentrantLock guard = new ReentrantLock();
    private final WaitingLine line = new WaitingLine();

    private volatile @Nullable Lease lease;
    private @Nullable ClaimAttempt attempt;
    private boolean retired;

    NameQueue(String name, LockEngine engine) {
        this.name = name;
        this.engine = engine;
    }

    // --- in

    /**
     * Asks for the lock on behalf of {@code hold}, which hears of the outcome through its waiter, or has it when this returns.
     *
     * @return {@code false} if this queue has left the table: ask its successor
     */
    boolean enter(Hold hold) {
        ClaimAttempt toStart = null;
        Lease crowded = null;
        guard.lock();
        try {
            if (retired) {
                return false;
            }
            boolean free = lease == null && attempt == null && line.isEmpty();
            if (!free && hold.settings.waitNanos() == 0) {
                hold.refuse(Refusal.busy(engine.failures().holderHere(lease)));
                return true;
            }
            if (!free || !grantedNow(hold)) {
                crowded = line.isEmpty() ? lease : null;
                line.append(hold);
                toStart = free ? claimForFirst() : null;
            }
        } finally {
            guard.unlock();
        }
        if (hold.live()) {
            engine.events().emit(Kind.GRANTED, hold, 0, null);
        }
        if (toStart != null) {
            toStart.start(engine.backend());
        } else if (crowded != null) {
            engine.backend().contended(crowded.grant);
        }
        return true;
    }

    private boolean grantedNow(Hold hold) {
        if (engine.inMemory() == null) {
            return false;
        }
        Grant grant = engine.inMemory().acquireNow(claimFor(hold));
        if (grant == null) {
            return false;
        }
        install(grant, hold);
        return true;
    }

    private Claim claimFor(Hold hold) {
        return engine.claims().make(name, hold.settings);
    }

    private @Nullable ClaimAttempt claimForFirst() {
        Hold first = line.first();
        attempt = first == null ? null : new ClaimAttempt(this, claimFor(first), engine.time().nanoTime());
        return attempt;
    }

    private void install(Grant grant, Hold hold) {
        long now = engine.time().nanoTime();
        Lease granted = new Lease(this, grant, hold, engine.margin(), engine.time());
        if (hold.grant(granted, now)) {
            lease = granted;
            if (!grant.provisional()) {
                engine.renewals().added(granted);
            }
        }
    }

    // --- the backend's answers

    void answered(ClaimAttempt from, Answer answer) {
        if (answer instanceof Grant grant) {
            granted(from, grant);
        } else {
            settleFirst(from, Refusal.busy(((Busy) answer).heldBy()));
        }
    }

    void failed(ClaimAttempt from, Throwable failure) {
        settleFirst(from, Refusal.failed(engine.failures().ofBackend(name, failure)));
    }

    private void granted(ClaimAttempt from, Grant grant) {
        Hold hold = null;
        ClaimAttempt toStart = null;
        boolean crowded = false;
        guard.lock();
        try {
            if (attempt == from) {
                attempt = null;
                if (worthHaving(grant)) {
                    hold = line.removeFirst();
                    crowded = !line.isEmpty();
                    install(grant, hold);
                } else {
                    toStart = claimForFirst();
                }
            }
        } finally {
            guard.unlock();
        }
        if (hold == null) {
            engine.releases().undo(grant);
            if (toStart != null) {
                toStart.start(engine.backend());
            }
            return;
        }
        if (grant.provisional()) {
            engine.renewals().confirmNow(hold.lease());
        }
        engine.events().emit(Kind.GRANTED, hold, engine.time().nanoTime() - hold.requestedAt, null);
        hold.tellWaiter();
        if (crowded) {
            engine.backend().contended(grant);
        }
    }

    /** A grant whose answer was long on the way may be as good as over. */
    private boolean worthHaving(Grant grant) {
        long left = grant.sentAt() + grant.grantedNanos() - engine.time().nanoTime();
        return left >= grant.grantedNanos() / 4;
    }

    /** The first in line does not get it; the claim was for it alone, so the next one needs its own. */
    private void settleFirst(ClaimAttempt from, Refusal refusal) {
        Hold refused;
        ClaimAttempt toStart;
        guard.lock();
        try {
            if (attempt != from) {
                return;
            }
            refused = line.removeFirst();
            refused.refuse(refusal);
            toStart = claimForFirst();
        } finally {
            guard.unlock();
        }
        refused.tellWaiter();
        startOrRest(toStart);
    }

    // --- giving up

    /**
     * The hold stops waiting.
     *
     * @param why what it fails with; {@code null} to find out what kept it
     * @return {@code false} if it had its outcome already
     */
    boolean giveUp(Hold hold, @Nullable Refusal why) {
        ClaimAttempt toWithdraw = null;
        ClaimAttempt toStart = null;
        guard.lock();
        try {
            if (!hold.waiting()) {
                return false;
            }
            boolean wasFirst = line.first() == hold;
            hold.refuse(why != null ? why : engine.failures().waitOver(lease, attempt));
            line.remove(hold);
            if (wasFirst && attempt != null && (line.isEmpty() || !attempt.suits(line.first()))) {
                toWithdraw = attempt;
                toStart = claimForFirst();
            }
        } finally {
            guard.unlock();
        }
        if (toWithdraw != null) {
            toWithdraw.withdraw();
        }
        startOrRest(toStart);
        return true;
    }

    // --- out

    /** A hold was released: its lease goes to the next in line if it may, else back to the backend. */
    Uni<Void> ended(Hold hold, Lease from) {
        Hold next = null;
        ClaimAttempt toStart = null;
        boolean lostMeanwhile;
        long now = engine.time().nanoTime();
        guard.lock();
        try {
            lostMeanwhile = lease != from;
            next = line.first();
            if (lostMeanwhile) {
                next = null;
            } else if (next != null && !engine.closing() && from.mayPassTo(next, now, engine.slice())
                    && !from.clocksParted(engine.time())) {
                line.removeFirst();
                from.passTo(next, now);
                next.grant(from, now);
            } else {
                next = null;
                lease = null;
                toStart = claimForFirst();
            }
        } finally {
            guard.unlock();
        }
        engine.events().emit(Kind.RELEASED, hold, now - hold.grantedAt(), null);
        if (lostMeanwhile) {
            return endedAfterLoss(from);
        }
        if (next != null) {
            engine.events().emit(Kind.BATON, next, now - next.requestedAt, null);
            engine.renewals().added(from);
            next.tellWaiter();
            return Nothing.UNI;
        }
        Uni<Void> released = release(hold, from); // before the next claim, so that it comes to the backend first
        startOrRest(toStart);
        return released;
    }

    private Uni<Void> release(Hold hold, Lease from) {
        if (engine.inMemory() == null) {
            return engine.releases().release(hold, from);
        }
        engine.inMemory().releaseNow(from.grant);
        return Nothing.UNI;
    }

    /** The holder of a lost lease has finished: what the backend may still keep of it is ended early. */
    Uni<Void> endedAfterLoss(Lease lost) {
        engine.releases().undo(lost.grant);
        engine.holdGone();
        return Nothing.UNI;
    }

    void lose(Lease gone, String reason) {
        ClaimAttempt toStart;
        Hold hold;
        boolean told;
        guard.lock();
        try {
            if (lease != gone) {
                return;
            }
            hold = gone.holder();
            told = hold.lose(reason); // first, so that a body that ends now does not take it for a release
            lease = null;
            toStart = claimForFirst();
        } finally {
            guard.unlock();
        }
        if (told) {
            hold.tellLost();
            engine.lostHold(hold, reason);
        }
        startOrRest(toStart);
    }

    private void startOrRest(@Nullable ClaimAttempt toStart) {
        if (toStart != null) {
            toStart.start(engine.backend());
        } else {
            engine.names().idle(this);
        }
    }

    /** Takes the queue out of use if nothing is going on. */
    boolean retire() {
        guard.lock();
        try {
            retired = lease == null && attempt == null && line.isEmpty();
            return retired;
        } finally {
            guard.unlock();
        }
    }

    // --- looking in

    @Nullable
    Lease lease() {
        return lease;
    }

    @Nullable
    Hold firstInLine() {
        guard.lock();
        try {
            return line.first();
        } finally {
            guard.unlock();
        }
    }
}
