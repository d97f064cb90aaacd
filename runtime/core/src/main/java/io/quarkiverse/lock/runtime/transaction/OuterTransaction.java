package io.quarkiverse.lock.runtime.transaction;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.smallrye.mutiny.Context;

/**
 * The Hibernate Reactive transaction that a call has found open. The call's writes belong to it, so it does not commit if the
 * call has lost its lock, however the caller handles that failure.
 */
public final class OuterTransaction {

    private final ReactiveTransactions.Current transaction;
    private final Context context;
    private final Validity validity;
    private volatile @Nullable Held held;

    /** @param context the context of the call, which is in the pipelines around the transaction; empty if unknown */
    public OuterTransaction(ReactiveTransactions.Current transaction, Context context, Validity validity) {
        this.transaction = transaction;
        this.context = context;
        this.validity = validity;
    }

    public void under(Held held) {
        this.held = held;
    }

    /**
     * The call has ended, in whatever way.
     *
     * @param failure what it reports, if it has failed: the lock that it could not confirm is released by now
     */
    public void callEnded(@Nullable Throwable failure) {
        Held under = held;
        if (under == null) {
            return;
        }
        LockLostException loss = validity.lossForGood(under, true);
        if (loss == null && failure instanceof LockLostException unconfirmed && isUnconfirmed(under, unconfirmed)) {
            loss = unconfirmed;
        }
        if (loss != null) {
            transaction.rollBackOnly(loss);
            Pipelines.failAround(context, loss); // else it would look like a commit
        }
    }

    private static boolean isUnconfirmed(Held held, LockLostException failure) {
        for (int i = 0; i < held.size(); i++) {
            LockHold hold = held.get(i);
            if (hold.failsOnLoss() && hold.isLoss(failure)) {
                return true;
            }
        }
        return false;
    }
}
