package io.quarkiverse.lock.engine.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.news.LossReasons;
import io.quarkiverse.lock.engine.queue.Losses;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;

/** Checks whether holds are still held: whoever finds one past its deadline marks it lost. */
public final class Validity {

    /** A name that stays taken that much shorter than wanted needs no renewal for it. */
    private static final long NOTICEABLE = TimeUnit.MILLISECONDS.toNanos(100);

    private final LockTime time;
    private final Losses losses;
    private final Renewals renewals;

    public Validity(LockTime time, Losses losses, Renewals renewals) {
        this.time = time;
        this.losses = losses;
        this.renewals = renewals;
    }

    /** Whether the lock is held for certain; a hold found past its deadline is marked lost. */
    public boolean valid(LockHold hold) {
        return validNanos(hold) > 0;
    }

    /** How long {@link #valid} stays true without a renewal; 0 if it is not. */
    public long validNanos(LockHold hold) {
        if (!hold.live()) {
            return 0;
        }
        Lease lease = hold.lease();
        long left = lease.deadline() - time.nanoTime();
        if (left <= 0) {
            losses.lose(lease, LossReasons.atDeadline(lease));
            return 0;
        }
        if (lease.clocksParted()) {
            renewals.clocksParted(lease);
            return 0;
        }
        return left;
    }

    /**
     * Whether it is lost. A hold that merely needs a new confirmation, because the machine seems to have been suspended, is
     * not.
     */
    public boolean lostForGood(LockHold hold) {
        return !valid(hold) && hold.markedLost();
    }

    /** Like {@link #valid}, but if only a confirmation is missing, asks the backend for it. Blocks for one operation. */
    public boolean validOrConfirmed(LockHold hold) {
        if (valid(hold)) {
            return true;
        }
        if (hold.live()) {
            renewals.confirmBlocking(List.of(hold.lease().grant));
        }
        return valid(hold);
    }

    /** The loss of the first hold that is lost for good; {@code null} if none is. */
    public @Nullable LockLostException lossForGood(Held held, boolean onlyFailing) {
        for (int i = 0; i < held.size(); i++) {
            LockHold hold = held.get(i);
            if ((hold.failsOnLoss() || !onlyFailing) && lostForGood(hold)) {
                return hold.loss();
            }
        }
        return null;
    }

    /**
     * What the first hold that is not valid fails with, if its loss counts as failure, whether or not that has been reported
     * yet. First {@linkplain #confirm confirm} what is {@link #unconfirmed}.
     */
    @Nullable
    public LockLostException failingNow(Held held) {
        for (int i = 0; i < held.size(); i++) {
            LockHold hold = held.get(i);
            if (hold.failsOnLoss() && !valid(hold)) {
                return failure(hold);
            }
        }
        return null;
    }

    /** What to fail with because the hold is not valid: the lock is lost, or may be. */
    public LockLostException failure(LockHold hold) {
        return hold.live() ? unconfirmedFailure(hold) : hold.loss();
    }

    /** What to fail with because the hold could not be confirmed; from now on, such a failure counts as its loss. */
    public LockLostException unconfirmedFailure(LockHold hold) {
        hold.news().unconfirmed = true;
        return new LockLostException(hold.name(), "Lock '" + PrintableName.of(hold.name())
                + "' could not be confirmed after the clocks diverged (this machine was suspended, or a clock was set), and "
                + "may have been lost", null);
    }

    /** The holds whose loss counts as failure, and which are not valid merely because a confirmation is missing. */
    public List<LockHold> unconfirmed(Held held) {
        List<LockHold> found = List.of();
        for (int i = 0; i < held.size(); i++) {
            LockHold hold = held.get(i);
            if (hold.failsOnLoss() && !valid(hold) && hold.live()) {
                found = found.isEmpty() ? new ArrayList<>(1) : found;
                found.add(hold);
            }
        }
        return found;
    }

    /** Whether none is lost; a hold that the caller already had is not lost while its validity is briefly in doubt. */
    private boolean noneLost(Held held) {
        return lossForGood(held, false) == null;
    }

    /**
     * The holds that nothing has run under yet and that must be confirmed first: while others, or their caller, were waited
     * for, the machine seems to have been suspended, or too much of the lease has passed.
     */
    public List<LockHold> inDoubt(Held holds) {
        List<LockHold> doubtful = List.of();
        for (int i = 0; i < holds.size(); i++) {
            LockHold hold = holds.get(i);
            if (!hold.usedByOthers() && (!valid(hold) || worn(hold)) && hold.live()) {
                doubtful = doubtful.isEmpty() ? new ArrayList<>(1) : doubtful;
                doubtful.add(hold);
            }
        }
        return doubtful;
    }

    /**
     * Whether too little is left for a caller that has waited for other names since. What is limited from now on begins with a
     * whole lease.
     */
    private boolean worn(LockHold hold) {
        LeaseRules rules = hold.queue.rules;
        Lease lease = hold.lease();
        long now = time.nanoTime();
        return !rules.enoughToBegin(lease.grant, now)
                || hold.settings.incomplete() && !rules.asInTheBeginning(lease.keptNanos(), lease.deadline() - now);
    }

    /** Asks the backend about all of them, and calls back once when it has answered, or failed to. */
    public void confirm(List<LockHold> holds, Runnable then) {
        renewals.confirm(grants(holds), then);
    }

    /** {@link #confirm}, but waits for the answer. */
    public void confirmBlocking(List<LockHold> holds) {
        renewals.confirmBlocking(grants(holds));
    }

    private static List<Grant> grants(List<LockHold> holds) {
        return holds.stream().map(hold -> hold.lease().grant).toList();
    }

    /**
     * {@link Holds#complete}, if there are several; what has been in doubt meanwhile is still confirmed. A name that stays
     * taken from now on is kept for that long soon, even if nothing else follows.
     *
     * @return whether all are certain; if not, nothing may run under them
     */
    public boolean complete(Held held, HoldSettings wanted) {
        if (held instanceof Holds holds) {
            long now = time.nanoTime();
            holds.complete(wanted, now);
            for (int i = 0; i < holds.size(); i++) {
                LockHold hold = holds.get(i);
                Lease lease = hold.lease();
                renewals.replaced(lease);
                if (hold.staysTakenFor(now) - (lease.grant.keptUntil() - now) > NOTICEABLE) {
                    renewals.renewSoon(lease);
                }
            }
        }
        return noneLost(held) && inDoubt(held).isEmpty();
    }
}
