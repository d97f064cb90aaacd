package io.quarkiverse.lock.engine.lease;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.news.LossReasons;
import io.quarkiverse.lock.engine.queue.Losses;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.spi.LockTime;

/** Whether holds are still held: whoever finds one past its deadline makes it lost from then on. */
public final class Validity {

    private final LockTime time;
    private final Losses losses;
    private final Renewals renewals;

    public Validity(LockTime time, Losses losses, Renewals renewals) {
        this.time = time;
        this.losses = losses;
        this.renewals = renewals;
    }

    /** Whether the lock is held for certain; a hold found past its deadline is lost from then on. */
    public boolean valid(LockHold hold) {
        return validNanos(hold) > 0;
    }

    /** For how long {@link #valid} stays true without a renewal; 0 if it is not. */
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
     * Whether it is lost. A hold that merely has to be confirmed anew, because the machine seems to have been suspended, is
     * not.
     */
    public boolean lostForGood(LockHold hold) {
        return !valid(hold) && hold.markedLost();
    }

    /** As {@link #valid}, but where only a confirmation is missing it asks the backend for it. Blocks for one operation. */
    public boolean validOrConfirmed(LockHold hold) {
        if (valid(hold)) {
            return true;
        }
        if (hold.live()) {
            renewals.confirmBlocking(hold.lease());
        }
        return valid(hold);
    }

    /** The loss of the first that is lost for good; {@code null} if none is. */
    public @Nullable LockLostException lossForGood(Held held, boolean onlyFailing) {
        for (int i = 0; i < held.size(); i++) {
            LockHold hold = held.get(i);
            if ((hold.failsOnLoss() || !onlyFailing) && lostForGood(hold)) {
                return hold.loss();
            }
        }
        return null;
    }

    /** The loss of the first that is not valid, if that is a failure; whether or not it has been told yet. */
    @Nullable
    public LockLostException failingNow(Held held) {
        for (int i = 0; i < held.size(); i++) {
            LockHold hold = held.get(i);
            if (hold.failsOnLoss() && !valid(hold)) {
                return hold.loss();
            }
        }
        return null;
    }

    /** One whose validity is in doubt for a moment is not lost: with a single name, too, one goes on with that. */
    public boolean noneLost(Holds holds) {
        return lossForGood(holds, false) == null && holds.complete();
    }

    /** Of the first that is lost. */
    public LockLostException loss(Holds holds) {
        LockLostException loss = lossForGood(holds, false);
        return loss == null ? holds.get(0).loss() : loss;
    }
}
