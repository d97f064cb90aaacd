package io.quarkiverse.lock.engine;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.Uni;

/**
 * All that this JVM has to do with one name: what it holds, the claim it has sent for it, and its holds waiting in
 *
 * <p>
 * Only the first in line is claimed for at the backend, and the claim outlives it when it gives up while others wait behind it:
 * the JVM keeps its place. Decisions are made under the guard; the backend and the waiters hear of them after it is free.
 */
final class NameQueue extends OwnLeases {

    private static final int YIELDS = 3;
    /** In place of how many ask by themselves. */
    private static final int RETIRED = -1;

    final String name;
    final LockEngine engine;

    private @Nullable ClaimAttempt attempt;
    /** How many ask by themselves, each with an attempt of its own. */
    private int alone;

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
            if (alone == RETIRED) {
                return false;
            }
            if (hold instanceof LoneHold lone) {
                toStart = enterAlone(lone);
            } else if (!joined(hold)) {
                boolean free = lease() == null && attempt == null && isEmpty();
                if (!free && hold.settings.waitNanos() == 0) {
                    hold.refuse(Refusal.busy(engine.failures().holderHere(lease())));
                    return true;
                }
                if (!free && mustStandInLine(hold) || !grantedNow(hold)) {
                    crowded = isEmpty() && heldAlone() ? lease() : null;
                    append(hold);
                    toStart = claimForFirst();
                }
            }
        } finally {
            unlock();
        }
        if (hold.refused()) {
            return true;
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

    /** For one that there may be room for beside what is held here. */
    private boolean mustStandInLine(Hold hold) {
        return !isEmpty() || lease() == null || !hold.settings.goesWith(lease().holder().settings);
    }

    private boolean joined(Hold hold) {
        if (!isEmpty() || !(lease() instanceof JointLease joint)) {
            return false;
        }
        long now = engine.time().nanoTime();
        if (!joint.mayBeJoinedBy(hold, now, engine.time())) {
            return false;
        }
        joint.join(hold, now);
        return true;
    }

    private @Nullable ClaimAttempt enterAlone(LoneHold hold) {
        if (joined(hold)) {
            return null;
        }
        if (heldAlone() || anyInTheWayOf(hold)) {
            hold.refuse(Refusal.busy(engine.failures().holderHere(lease())));
            return null;
        }
        if (isEmpty() && grantedNow(hold)) {
            return null;
        }
        hold.attempt = new LoneAttempt(this, claimFor(hold), engine.time(), hold);
        alone++;
        return hold.attempt;
    }

    /**
     * For a hold that is asked for together with holds of other names, if there is nothing of this name here.
     * {@link #grantedAlone} or {@link #refusedAlone} must follow.
     */
    boolean enterTogether() {
        lock();
        try {
            boolean free = lease() == null && attempt == null && isEmpty() && alone == 0;
            if (free) {
                alone++;
            }
            return free;
        } finally {
            unlock();
        }
    }

    /** Nobody is overtaken by who does not go together with them. */
    private boolean anyInTheWayOf(LoneHold hold) {
        for (Hold waiting = first(); waiting != null; waiting = waiting.next) {
            if (!waiting.settings.goesWith(hold.settings)) {
                return true;
            }
        }
        return false;
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

    /** {@code null} if nobody waits, or is asked for already, or while the name is ours alone. */
    private @Nullable ClaimAttempt claimForFirst() {
        Hold first = first();
        if (first == null || attempt != null || heldAlone()) {
            return null;
        }
        attempt = new ClaimAttempt(this, claimFor(first), engine.time(),
                first.waitsHereFor(engine.backend().operationTimeout()));
        return attempt;
    }

    private void install(Grant grant, Hold hold, long clockGap) {
        long now = engine.time().nanoTime();
        Lease granted = hold.settings.exclusive() ? new Lease(this, grant, hold, clockGap, engine.time())
                : new JointLease(this, grant, hold, clockGap, engine.time());
        if (hold.grant(granted, now)) {
            add(granted);
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
        loseWhatIsOutdatedBy(grant);
        Hold hold = null;
        List<Reader> readers = List.of();
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
                    install(grant, hold, from.clockGap());
                    if (hold.lease() instanceof JointLease joint) {
                        readers = letJoin(joint);
                    }
                    crowded = heldAlone() && !isEmpty();
                }
                toStart = claimForFirst();
            }
        } finally {
            unlock();
        }
        if (hold == null) {
            engine.releases().undo(grant);
        } else {
            announce(hold, waited);
            for (Reader reader : readers) {
                engine.events().emit(Kind.BATON, reader.hold, reader.waited, null);
                reader.hold.tellWaiter();
            }
        }
        if (toStart != null) {
            toStart.start(engine.backend());
        } else if (crowded) {
            engine.backend().contended(grant);
        }
    }

    private record Reader(Hold hold, long waited) {
    }

    /** Those at the head of the line who may read along. */
    private List<Reader> letJoin(JointLease joint) {
        List<Reader> readers = new ArrayList<>();
        long now = engine.time().nanoTime();
        for (Hold first = first(); first != null && joint.suits(first); first = first()) {
            remove(first);
            readers.add(new Reader(first, now - first.requestedAt()));
            joint.join(first, now);
        }
        return readers;
    }

    private void announce(Hold hold, long waited) {
        Lease granted = hold.lease();
        if (granted.grant.provisional() || granted.clocksParted(engine.time())) {
            engine.renewals().confirmNow(granted);
        }
        engine.events().emit(Kind.GRANTED, hold, waited, null);
        hold.tellWaiter();
    }

    private void loseWhatIsOutdatedBy(Grant grant) {
        for (Lease gone = outdatedBy(grant); gone != null; gone = outdatedBy(grant)) {
            lose(gone, LossReasons.GONE);
        }
    }

    /** As {@link #granted}, for one that asked by itself. */
    void grantedAlone(LoneHold hold, Grant grant, long clockGap) {
        loseWhatIsOutdatedBy(grant);
        boolean taken = false;
        long waited = engine.time().nanoTime() - hold.requestedAt();
        lock();
        try {
            if (hold.waiting() && worthHaving(grant)) {
                alone--;
                install(grant, hold, clockGap);
                taken = true;
            }
        } finally {
            unlock();
        }
        if (taken) {
            announce(hold, waited);
        } else {
            engine.releases().undo(grant);
            refusedAlone(hold, Refusal.busy(null));
        }
    }

    void refusedAlone(LoneHold hold, Refusal refusal) {
        lock();
        try {
            if (!hold.waiting()) {
                return;
            }
            alone--;
            hold.refuse(refusal);
        } finally {
            unlock();
        }
        hold.tellWaiter();
        startOrRest(null);
    }

    /** A grant whose answer was long on the way may be as good as over, and others may have been granted since. */
    private boolean worthHaving(Grant grant) {
        if (!goesWithAll(grant.claim())) {
            return false;
        }
        long granted = Lease.granted(grant, engine);
        long left = grant.sentAt() + granted - engine.time().nanoTime();
        return left >= granted / 4;
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
            attempt = null;
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
            if (hold instanceof LoneHold lone) {
                toWithdraw = lone.attempt;
                hold.refuse(why != null ? why : engine.failures().waitOver(lease(), toWithdraw));
                alone--;
            } else {
                boolean wasFirst = first() == hold;
                hold.refuse(why != null ? why : engine.failures().waitOver(lease(), attempt));
                remove(hold);
                if (wasFirst && attempt != null && (isEmpty() || !attempt.suits(first()))) {
                    toWithdraw = attempt;
                    attempt = null;
                    toStart = claimForFirst();
                }
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
        if (from instanceof JointLease joint) {
            return ended(hold, joint, callerWaits);
        }
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
            lostMeanwhile = lease() != from;
            next = first();
            if (lostMeanwhile) {
                next = null;
            } else if (next != null && attempt == null // whom that is for has to wait for its answer
                    && !engine.closing() && from.mayPassTo(next, now)
                    && !from.clocksParted(engine.time())) {
                removeFirst();
                waited = now - next.requestedAt();
                from.passTo(next, now);
                next.grant(from, now);
            } else {
                next = null;
                remove(from);
                toStart = claimForFirst();
            }
        } finally {
            unlock();
        }
        engine.events().emit(Kind.RELEASED, hold, now - hold.grantedAt(), null);
        if (lostMeanwhile) {
            return endedAfterLoss(hold, from);
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

    private Uni<Void> ended(Hold hold, JointLease from, boolean callerWaits) {
        boolean last;
        boolean lostMeanwhile;
        ClaimAttempt toStart = null;
        lock();
        try {
            last = from.leave(hold);
            lostMeanwhile = !has(from);
            if (last && !lostMeanwhile) {
                remove(from);
                toStart = claimForFirst();
            }
        } finally {
            unlock();
        }
        engine.events().emit(Kind.RELEASED, hold, engine.time().nanoTime() - hold.grantedAt(), null);
        if (!last) {
            return Nothing.UNI;
        }
        if (lostMeanwhile) {
            return undone(from);
        }
        Uni<Void> released = release(hold, from, callerWaits);
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
        if (engine.inMemory() == null || hold.settings.holdAtLeastNanos() != 0) {
            return engine.releases().release(hold, from, callerWaits);
        }
        engine.inMemory().releaseNow(from.grant);
        return Nothing.UNI;
    }

    /** The holder of a lost lease has finished: what the backend may still keep of it is ended early. */
    Uni<Void> endedAfterLoss(Hold hold, Lease lost) {
        if (lost instanceof JointLease joint) {
            lock();
            try {
                if (!joint.leave(hold)) {
                    return Nothing.UNI;
                }
            } finally {
                unlock();
            }
        }
        return undone(lost);
    }

    private Uni<Void> undone(Lease lost) {
        engine.releases().undo(lost.grant);
        engine.holdGone();
        return Nothing.UNI;
    }

    void lose(Lease gone, String reason) {
        ClaimAttempt toStart;
        List<Hold> told = new ArrayList<>(1);
        lock();
        try {
            if (!has(gone)) {
                return;
            }
            for (Hold hold : gone.presentHolders()) {
                if (hold.lose(reason)) { // first, so that a body that ends now does not take it for a release
                    told.add(hold);
                }
            }
            remove(gone);
            toStart = claimForFirst();
        } finally {
            unlock();
        }
        for (Hold hold : told) {
            hold.tellLost();
            engine.lostHold(hold, reason);
        }
        startOrRest(toStart);
    }

    /** Somebody wants what stands on this grant. */
    void ask(Grant grant) {
        List<Hold> told = new ArrayList<>(1);
        lock(); // also because a grant may be on its way to its lease
        try {
            Lease asked = leaseOf(grant);
            if (asked == null) {
                return;
            }
            for (Hold hold : asked.presentHolders()) {
                if (hold.ask()) {
                    told.add(hold);
                }
            }
        } finally {
            unlock();
        }
        for (Hold hold : told) {
            hold.tellAsked();
            engine.events().emit(Kind.RELEASE_REQUESTED, hold, engine.time().nanoTime() - hold.grantedAt(), null);
        }
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
            if (lease() == null && attempt == null && isEmpty() && alone == 0) {
                alone = RETIRED;
            }
            return alone == RETIRED;
        } finally {
            unlock();
        }
    }

    // --- looking in

    /** All holds of this JVM. */
    List<Hold> holds() {
        List<Hold> holds = new ArrayList<>(1);
        for (Lease own = lease(); own != null; own = own.next()) {
            holds.addAll(own.holders());
        }
        return holds;
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
