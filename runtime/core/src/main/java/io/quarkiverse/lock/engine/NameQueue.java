package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.Uni;

/**
 * All that this JVM has to do with one name: the lease it holds, or the claim it has sent for it, and its holds waiting in
 *
 * <p>
 * Only the first in line is claimed for at the backend, and the claim outlives it when it gives up while others wait behind it:
 * the JVM keeps its place. Decisions are made under the guard; the backend and the waiters hear of them after it is free.
 */
final class NameQueue extends WaitingLine {

    private static final int YIELDS = 3;

    final String name;
    final LockEngine engine;

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
        lock();
        try {
            if (retired) {
                return false;
            }
            boolean free = lease == null && attempt == null && isEmpty();
            if (!free && hold.settings.waitNanos() == 0) {
                hold.refuse(Refusal.busy(engine.failures().holderHere(lease)));
                return true;
            }
            if (!free || !grantedNow(hold)) {
                crowded = isEmpty() ? lease : null;
                append(hold);
                toStart = free ? claimForFirst() : null;
            }
        } finally {
            unlock();
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
        install(grant, hold, Sent.clockGap(engine.time()));
        return true;
    }

    private Claim claimFor(Hold hold) {
        return engine.claims().make(name, hold.settings);
    }

    private @Nullable ClaimAttempt claimForFirst() {
        Hold first = first();
        attempt = first == null ? null
                : new ClaimAttempt(this, claimFor(first), engine.time(),
                        first.waitsHereFor(engine.backend().operationTimeout()));
        return attempt;
    }

    private void install(Grant grant, Hold hold, long clockGap) {
        long now = engine.time().nanoTime();
        Lease granted = new Lease(this, grant, hold, clockGap, engine.time());
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
        long waited = 0;
        boolean crowded = false;
        lock();
        try {
            if (attempt == from) {
                attempt = null;
                if (worthHaving(grant)) {
                    hold = removeFirst();
                    waited = engine.time().nanoTime() - hold.requestedAt();
                    crowded = !isEmpty();
                    install(grant, hold, from.clockGap());
                } else {
                    toStart = claimForFirst();
                }
            }
        } finally {
            unlock();
        }
        if (hold == null) {
            engine.releases().undo(grant);
            if (toStart != null) {
                toStart.start(engine.backend());
            }
            return;
        }
        if (grant.provisional() || hold.lease().clocksParted(engine.time())) {
            engine.renewals().confirmNow(hold.lease());
        }
        engine.events().emit(Kind.GRANTED, hold, waited, null);
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
        lock();
        try {
            if (attempt != from) {
                return;
            }
            refused = removeFirst();
            refused.refuse(refusal);
            toStart = claimForFirst();
        } finally {
            unlock();
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
        lock();
        try {
            if (!hold.waiting()) {
                return false;
            }
            boolean wasFirst = first() == hold;
            hold.refuse(why != null ? why : engine.failures().waitOver(lease, attempt));
            remove(hold);
            if (wasFirst && attempt != null && (isEmpty() || !attempt.suits(first()))) {
                toWithdraw = attempt;
                toStart = claimForFirst();
            }
        } finally {
            unlock();
        }
        if (toWithdraw != null) {
            toWithdraw.withdraw();
        }
        startOrRest(toStart);
        return true;
    }

    // --- out

    /**
     * A hold was released: its lease goes to the next in line if it may, else back to the backend.
     *
     * @param callerWaits whether the current thread is going to wait for the end of that
     */
    Uni<Void> ended(Hold hold, Lease from, boolean callerWaits) {
        Hold next = null;
        ClaimAttempt toStart = null;
        long waited = 0;
        boolean lostMeanwhile;
        long now = engine.time().nanoTime();
        if (from.formerMayComeBack(now)) {
            letComeBack();
            now = engine.time().nanoTime();
        }
        lock();
        try {
            lostMeanwhile = lease != from;
            next = first();
            if (lostMeanwhile) {
                next = null;
            } else if (next != null && !engine.closing() && from.mayPassTo(next, now)
                    && !from.clocksParted(engine.time())) {
                removeFirst();
                waited = now - next.requestedAt();
                from.passTo(next, now);
                next.grant(from, now);
            } else {
                next = null;
                lease = null;
                toStart = claimForFirst();
            }
        } finally {
            unlock();
        }
        engine.events().emit(Kind.RELEASED, hold, now - hold.grantedAt(), null);
        if (lostMeanwhile) {
            return endedAfterLoss(from);
        }
        if (next != null) {
            engine.events().emit(Kind.BATON, next, waited, null);
            engine.renewals().added(from);
            next.tellWaiter();
            return Nothing.UNI;
        }
        Uni<Void> released = release(hold, from, callerWaits); // before the next claim, so that it comes to the backend first
        startOrRest(toStart);
        return released;
    }

    /**
     * Whoever unparks a thread on its own core may have to make room for it at once. Without a moment to come back, a slice
     * would end with the first such switch.
     */
    private void letComeBack() {
        if (!engine.threads().blockingForbidden()) {
            for (int i = 0; i < YIELDS && isEmpty(); i++) {
                Thread.yield();
            }
        }
    }

    private Uni<Void> release(Hold hold, Lease from, boolean callerWaits) {
        if (engine.inMemory() == null) {
            return engine.releases().release(hold, from, callerWaits);
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
        lock();
        try {
            if (lease != gone) {
                return;
            }
            hold = gone.holder();
            told = hold.lose(reason); // first, so that a body that ends now does not take it for a release
            lease = null;
            toStart = claimForFirst();
        } finally {
            unlock();
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
        lock();
        try {
            retired = lease == null && attempt == null && isEmpty();
            return retired;
        } finally {
            unlock();
        }
    }

    // --- looking in

    @Nullable
    Lease lease() {
        return lease;
    }

    @Nullable
    Hold firstInLine() {
        lock();
        try {
            return first();
        } finally {
            unlock();
        }
    }
}
