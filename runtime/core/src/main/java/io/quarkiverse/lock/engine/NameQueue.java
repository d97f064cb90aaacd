package io.quarkiverse.lock.engine;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent.Kind;

/**
 * All that this JVM has to do with one name: what it holds, the claim it has sent for it, and its holds waiting in line.
 * <p>
 * Only the first in line is claimed for at the backend, and the claim outlives it when it gives up while others wait behind it:
 * the JVM keeps its place. Decisions are made under the guard; the backend and the waiters hear of them after it is free.
 */
final class NameQueue extends HandOver {

    NameQueue(String name, LockEngine engine) {
        super(name, engine);
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
            if (retired()) {
                return false;
            }
            if (hold instanceof LoneHold lone) {
                toStart = enterAlone(lone);
            } else if (!joined(hold)) {
                boolean free = lease() == null && attempt == null && isEmpty();
                if (!free && hold.settings.waitNanos() == 0) {
                    hold.refuse(engine.failures().noWait(firstOr(hold), lease(), attempt));
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

    private Hold firstOr(Hold hold) {
        Hold first = first();
        return first == null ? hold : first;
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
            hold.refuse(engine.failures().noWait(firstOr(hold), lease(), attempt));
            return null;
        }
        if (isEmpty() && grantedNow(hold)) {
            return null;
        }
        hold.attempt = new LoneAttempt(this, claimFor(hold), engine.time(), hold);
        alone++;
        return hold.attempt;
    }

    // --- the backend's answers

    void answered(ClaimAttempt from, Answer answer) {
        if (answer instanceof Grant grant) {
            whenSure(grant, from.clockGap(), (sure, clockGap) -> granted(from, grant, sure, clockGap));
        } else {
            settleFirst(from, Refusal.busy(((Busy) answer).heldBy()));
        }
    }

    void failed(ClaimAttempt from, Throwable failure) {
        settleFirst(from, Refusal.failed(engine.failures().ofBackend(name, failure)));
    }

    private interface Sure {

        /** @param clockGap when it was so */
        void known(boolean sure, long clockGap);
    }

    /**
     * A machine that was suspended while its claim was under way cannot tell how old the grant is: that has to be confirmed
     * before anybody is given it.
     *
     * @param clockGap by how much the clocks differed when it was asked for
     */
    private void whenSure(Grant grant, long clockGap, Sure then) {
        if (!Lease.clocksParted(grant, clockGap, engine)) {
            then.known(true, clockGap);
            return;
        }
        engine.renewals().check(grant, sent -> {
            if (sent == null) {
                then.known(false, clockGap);
            } else {
                whenSure(grant, sent.clockGap(), then); // it may have been suspended again
            }
        });
    }

    private void granted(ClaimAttempt from, Grant grant, boolean sure, long clockGap) {
        loseWhatIsOutdatedBy(grant);
        Hold hold = null;
        Hold tooLate = null;
        List<Reader> readers = List.of();
        ClaimAttempt toStart = null;
        long waited = 0;
        boolean crowded = false;
        lock();
        try {
            if (attempt == from) {
                attempt = null;
                if (sure && worthHaving(grant)) {
                    hold = removeFirst();
                    waited = engine.time().nanoTime() - hold.requestedAt();
                    install(grant, hold, clockGap);
                    if (hold.lease() instanceof JointLease joint) {
                        readers = letJoin(joint);
                    }
                    crowded = heldAlone() && !isEmpty();
                } else if (!from.claim.waits()) {
                    tooLate = removeFirst(); // it asks once: answers that come late would go on coming late
                    tooLate.refuse(sure ? uselessness(grant) : unconfirmed());
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
            tell(readers);
        }
        if (tooLate != null) {
            tooLate.tellWaiter();
            startOrRest(toStart);
        } else if (toStart != null) {
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

    private void tell(List<Reader> readers) {
        for (Reader reader : readers) {
            engine.events().emit(Kind.BATON, reader.hold, reader.waited, null);
            reader.hold.tellWaiter();
        }
    }

    /**
     * Those at the head of the line join a writer that reads from here on, unless somebody elsewhere may have waited for
     * longer. To be called by one of the hold's users.
     *
     * @return {@code false} if it has been lost
     */
    boolean downgrade(Hold hold) {
        JointLease joint;
        List<Reader> readers = List.of();
        ClaimAttempt toStart;
        lock();
        try {
            Lease alone = hold.lease();
            if (!has(alone)) {
                return false;
            }
            alone.grant.claim().downgrade();
            joint = new JointLease(alone);
            remove(alone);
            add(joint);
            hold.downgradedTo(joint);
            if (attempt == null && joint.undisturbed(engine.time().nanoTime())) {
                readers = letJoin(joint);
            }
            toStart = claimForFirst();
        } finally {
            unlock();
        }
        joint.noLongerThanKept(); // which may have changed since its deadline was copied
        engine.renewals().added(joint);
        tell(readers);
        startOrRest(toStart);
        return true;
    }

    private void announce(Hold hold, long waited) {
        Lease granted = hold.lease();
        engine.events().emit(Kind.GRANTED, hold, waited, null);
        hold.tellWaiter();
        if (granted.grant.provisional()) {
            if (keptWhenTheHolderDies(hold)) {
                engine.renewals().confirmNow(granted);
            } else {
                engine.renewals().confirmSoon(granted);
            }
        }
    }

    /** For so long that what the backend gives a grant at first is not enough. */
    private boolean keptWhenTheHolderDies(Hold hold) {
        return hold.holdAtLeastNanos() != 0 || engine.afterLossNanos() != 0;
    }

    private void loseWhatIsOutdatedBy(Grant grant) {
        for (Lease gone = outdatedBy(grant); gone != null; gone = outdatedBy(grant)) {
            lose(gone, LossReasons.GONE);
        }
    }

    private Refusal unconfirmed() {
        return Refusal.failed(engine.failures().unconfirmed(name));
    }

    /** As {@link #answered}, for one that asked by itself. */
    void answeredAlone(LoneHold hold, Grant grant, long clockGap) {
        whenSure(grant, clockGap, (sure, since) -> {
            if (sure) {
                grantedAlone(hold, grant, since);
            } else {
                engine.releases().undo(grant);
                refusedAlone(hold, unconfirmed());
            }
        });
    }

    /** At once, of a grant that is certain. */
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
            refusedAlone(hold, uselessness(grant));
        }
    }

    /** Why a grant that is not {@link #worthHaving} does not serve who asked once. */
    private Refusal uselessness(Grant grant) {
        return goesWithAll(grant.claim()) ? engine.failures().tooLate(name)
                : Refusal.busy(engine.failures().holderHere(lease()));
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
     * Whether a hold whose wait is over had better wait a little longer: no wait is too short for one answer of the
     * store, which may have been on its way for a quarter of the operation timeout.
     */
    boolean answerDue(Hold hold) {
        lock();
        try {
            return hold.waiting() && hold.settings.waitNanos() != 0
                    && engine.failures().answerDue(first(), lease(), attempt);
        } finally {
            unlock();
        }
    }

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
                hold.refuse(why != null ? why : engine.failures().waitOver(lone, lease(), toWithdraw));
                alone--;
            } else {
                boolean wasFirst = first() == hold;
                hold.refuse(why != null ? why : engine.failures().waitOver(first(), lease(), attempt));
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
