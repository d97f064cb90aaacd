package io.quarkiverse.lock.engine.lease;

import java.util.ArrayList;
import java.util.List;

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

    /** Whether none is lost; one that was there before is not lost while its validity is in doubt for a moment. */
    public boolean noneLost(Holds holds) {
        return lossForGood(holds, false) == null && holds.complete();
    }

    /**
     * Those that nobody has run under, and that have to be confirmed before anybody does: the machine seems to have been
     * suspended while others were waited for.
     */
    public List<LockHold> inDoubt(Holds holds) {
        List<LockHold> doubtful = List.of();
        for (int i = 0; i < holds.size(); i++) {
            LockHold hold = holds.get(i);
            if (!hold.usedByOthers() && !valid(hold) && hold.live()) {
                doubtful = doubtful.isEmpty() ? new ArrayList<>(1) : doubtful;
                doubtful.add(hold);
            }
        }
        return doubtful;
    }

    /** Asks the backend for all of them, and calls back once when it has answered, or has not. */
    public void confirm(List<LockHold> holds, Runnable then) {
        renewals.confirm(holds.stream().map(hold -> hold.lease().grant).toList(), then);
    }
}
