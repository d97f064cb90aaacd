package io.quarkiverse.lock.engine.queue;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.LossReasons;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.JointLease;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.state.TryHold;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;

/** Applies the backend's answers to claims to the waiting holds. */
public final class ClaimAnswers {

    private final LockBackend backend;
    private final LockTime time;
    private final Events events;
    private final ErrorMessages errors;
    private final NameTable names;
    private final Claims claims;
    private final Admission admission;
    private final Losses losses;
    private final Renewals renewals;
    private final Releases releases;

    public ClaimAnswers(LockBackend backend, LockTime time, Events events, ErrorMessages errors, NameTable names,
            Claims claims, Admission admission, Losses losses, Renewals renewals, Releases releases) {
        this.backend = backend;
        this.time = time;
        this.events = events;
        this.errors = errors;
        this.names = names;
        this.claims = claims;
        this.admission = admission;
        this.losses = losses;
        this.renewals = renewals;
        this.releases = releases;
    }

    // --- to the claim for the first in line

    void answered(NameQueue queue, ClaimAttempt from, Answer answer) {
        if (answer instanceof Grant grant) {
            whenSure(queue, grant, from.clockGap(), false,
                    (sure, late, clockGap) -> granted(queue, from, grant, sure, late, clockGap));
        } else {
            settleFirst(queue, from, Refusal.busy(((Busy) answer).heldBy()));
        }
    }

    void failed(NameQueue queue, ClaimAttempt from, Throwable failure) {
        settleFirst(queue, from, Refusal.failed(errors.ofBackend(queue.name, failure)));
    }

    private interface Sure {

        /**
         * @param late whether it had to be confirmed first: until then, news of waiters does not find it
         * @param clockGap how far the clocks differed at that time
         */
        void known(boolean sure, boolean late, long clockGap);
    }

    /**
     * A machine that was suspended while its claim was under way cannot tell how old the grant is: it must be confirmed before
     * anybody gets it.
     *
     * @param clockGap how far the clocks differed when it was asked for
     */
    private void whenSure(NameQueue queue, Grant grant, long clockGap, boolean late, Sure then) {
        if (!queue.rules.clocksParted(grant, clockGap)) {
            then.known(true, late, clockGap);
            return;
        }
        renewals.check(grant, sent -> {
            if (sent == null) {
                then.known(false, true, clockGap);
            } else {
                whenSure(queue, grant, sent.clockGap(), true, then); // the machine may have been suspended again
            }
        });
    }

    private void granted(NameQueue queue, ClaimAttempt from, Grant grant, boolean sure, boolean late, long clockGap) {
        loseWhatIsOutdatedBy(queue, grant);
        LockHold hold = null;
        LockHold tooLate = null;
        List<Admission.Reader> readers = List.of();
        ClaimAttempt toStart = null;
        long waited = 0;
        boolean crowded = false;
        queue.lock();
        try {
            if (queue.attempt == from) {
                queue.answered(from);
                long now = time.nanoTime();
                if (sure && queue.worthHaving(grant, now)) {
                    hold = queue.removeFirstWaiting();
                    waited = now - hold.requestedAt();
                    begin(grant, hold, late, clockGap, now);
                    if (grant.provisional()) {
                        renewals.unconfirmed(hold.lease(), now); // before the caller can know of it and downgrade it
                    }
                    if (hold.lease() instanceof JointLease joint) {
                        readers = admission.letJoin(joint);
                    }
                    crowded = queue.heldAlone() && !queue.nobodyWaits();
                } else if (!from.claim.waits()) {
                    tooLate = queue.removeFirstWaiting(); // it asks only once: later answers would be late as well
                    tooLate.refuse(sure ? uselessness(queue, grant) : unconfirmed(queue));
                }
                toStart = claims.forFirst(queue);
            }
        } finally {
            queue.unlock();
        }
        if (hold == null) {
            releases.undo(grant);
        } else {
            announce(hold, waited);
            admission.tell(readers);
        }
        if (tooLate != null) {
            tooLate.tellWaiter();
            claims.startOrRest(queue, toStart);
        } else if (toStart != null) {
            toStart.start(backend);
        } else if (crowded) {
            backend.contended(grant);
        }
    }

    /** Under the guard. If it is late, others are assumed to wait: the backend may have said so, and some say it only once. */
    private void begin(Grant grant, LockHold hold, boolean late, long clockGap, long now) {
        admission.begin(grant, hold, clockGap, now);
        if (late) {
            hold.lease().othersWait(true, now);
        }
    }

    private void announce(LockHold hold, long waited) {
        Lease granted = hold.lease();
        events.emit(Kind.GRANTED, hold, waited, null);
        hold.tellWaiter();
        if (granted.grant.provisional()) {
            if (keptWhenTheHolderDies(hold)) {
                renewals.confirmNow(granted);
            } else {
                renewals.added(granted);
            }
        }
    }

    /** Whether the name must stay taken if the holder dies, for longer than the backend initially keeps a grant. */
    private static boolean keptWhenTheHolderDies(LockHold hold) {
        return hold.holdAtLeastNanos() != 0 || hold.queue.rules.afterLossNanos != 0;
    }

    private void loseWhatIsOutdatedBy(NameQueue queue, Grant grant) {
        for (Lease gone = queue.outdatedBy(grant); gone != null; gone = queue.outdatedBy(grant)) {
            losses.lose(gone, LossReasons.GONE);
        }
    }

    /** Why a grant that is not {@link NameQueue#worthHaving} is of no use to a hold that asked once. */
    private Refusal uselessness(NameQueue queue, Grant grant) {
        return queue.goesWithAll(grant.claim()) ? errors.tooLate(queue.name)
                : Refusal.busy(errors.holderHere(queue.lease()));
    }

    private Refusal unconfirmed(NameQueue queue) {
        return Refusal.failed(errors.unconfirmed(queue.name));
    }

    /** The first in line is refused. The claim was for it alone, so the next in line needs its own. */
    private void settleFirst(NameQueue queue, ClaimAttempt from, Refusal refusal) {
        LockHold refused;
        ClaimAttempt toStart;
        queue.lock();
        try {
            if (queue.attempt != from) {
                return;
            }
            queue.answered(from);
            refused = queue.removeFirstWaiting();
            refused.refuse(refusal);
            toStart = claims.forFirst(queue);
        } finally {
            queue.unlock();
        }
        refused.tellWaiter();
        claims.startOrRest(queue, toStart);
    }

    // --- to the claim of a hold outside the line

    void answeredAlone(TryHold hold, ClaimAttempt from, Answer answer) {
        if (!(answer instanceof Grant grant)) {
            refusedAlone(hold, from, Refusal.busy(((Busy) answer).heldBy()));
            return;
        }
        whenSure(hold.queue, grant, from.clockGap(), false, (sure, late, since) -> {
            if (sure) {
                grantedAlone(hold, from, grant, late, since);
            } else {
                releases.undo(grant);
                refusedAlone(hold, from, unconfirmed(hold.queue));
            }
        });
    }

    void failedAlone(TryHold hold, ClaimAttempt from, Throwable failure) {
        refusedAlone(hold, from, Refusal.failed(errors.ofBackend(hold.name(), failure)));
    }

    /** Applies a grant that is certain, at once, to a hold that was requested together with holds of other names. */
    public void grantedAlone(TryHold hold, Grant grant, long clockGap) {
        grantedAlone(hold, null, grant, false, clockGap);
    }

    /** @param from {@code null} if it was requested together with holds of other names */
    private void grantedAlone(TryHold hold, @Nullable ClaimAttempt from, Grant grant, boolean late, long clockGap) {
        NameQueue queue = hold.queue;
        loseWhatIsOutdatedBy(queue, grant);
        boolean taken = false;
        boolean closing;
        long waited = 0;
        queue.lock();
        try {
            closing = names.closing(); // a hold that enters now might miss the last look at what is held
            long now = time.nanoTime();
            if (!closing && hold.waiting() && hold.attempt == from && queue.worthHaving(grant, now)) {
                waited = now - hold.requestedAt();
                queue.removeAlone(hold);
                begin(grant, hold, late, clockGap, now);
                taken = true;
            }
        } finally {
            queue.unlock();
        }
        if (taken) {
            names.holdGone(); // nobody is asking for it any more
            announce(hold, waited);
        } else {
            releases.undo(grant);
            refusedAlone(hold, from, closing ? Refusal.failed(errors.closing(queue.name)) : uselessness(queue, grant));
        }
    }

    /** Of a hold that was requested together with holds of other names. */
    public void refusedAlone(TryHold hold, Refusal refusal) {
        refusedAlone(hold, null, refusal);
    }

    private void refusedAlone(TryHold hold, @Nullable ClaimAttempt from, Refusal refusal) {
        NameQueue queue = hold.queue;
        queue.lock();
        try {
            if (!hold.waiting() || hold.attempt != from) {
                return;
            }
            queue.removeAlone(hold);
            hold.refuse(refusal);
        } finally {
            queue.unlock();
        }
        hold.tellWaiter();
        claims.startOrRest(queue, null);
    }
}
