package io.quarkiverse.lock.engine.state;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.CallerWaits;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A claim on its way.
 * <p>
 * It is its own subscriber, because Mutiny's subscribers drop an item that races with their cancellation: a dropped grant would
 * stay in the store for its whole lease. Here every answer reaches the queue, which undoes any grant it cannot use.
 */
public abstract class ClaimAttempt implements UniSubscriber<Answer> {

    private static final UniSubscription WITHDRAWN = () -> {
    };

    public final Claim claim;
    /** Guarded by the queue. */
    private long askedSince;
    private final long clockGap;
    private boolean callerWaits;
    private final AtomicReference<@Nullable UniSubscription> subscription = new AtomicReference<>();

    /** @param callerWaits whether {@link #start} is called by a thread that waits for the answer */
    public ClaimAttempt(Claim claim, LockTime time, boolean callerWaits) {
        this.claim = claim;
        this.callerWaits = callerWaits;
        this.askedSince = time.nanoTime();
        this.clockGap = LeaseRules.clockGap(time);
    }

    /** Whether a grant for this claim also suits {@code hold}. */
    public boolean suits(LockHold hold) {
        HoldSettings wanted = hold.settings;
        return claim.waits() && wanted.firstLeaseNanos() + hold.queue.rules.afterLossNanos == claim.leaseNanos()
                && wanted.mode() == claim.mode()
                && wanted.limit() == claim.limit();
    }

    /** Since when the backend has owed an answer to this claim, or to those that it replaces. */
    public long askedSince() {
        return askedSince;
    }

    /** Under the guard: if the former claim got no answer, the backend is no less silent because it is asked again. */
    public void replaces(ClaimAttempt former) {
        if (!former.claim.taken() && former.claim.trouble() == null) {
            askedSince = former.askedSince;
        }
    }

    public long clockGap() {
        return clockGap;
    }

    /** {@link #start} will be called by another thread than the waiting one after all. */
    public void startedByAnotherThread() {
        callerWaits = false;
    }

    /** Does nothing if it has been withdrawn. */
    public void start(LockBackend backend) {
        if (subscription.get() == WITHDRAWN) {
            return;
        }
        try {
            AbstractUni.subscribe(backend.acquire(claim), this);
        } catch (RuntimeException | Error e) {
            onFailure(e); // or the name would be stuck behind a claim that was never made
        }
    }

    /** Call it only after the queue has forgotten this attempt: a grant that still arrives is undone. */
    public void withdraw() {
        UniSubscription started = subscription.getAndSet(WITHDRAWN);
        if (started != null) {
            started.cancel();
        }
    }

    @Override
    public Context context() {
        return callerWaits ? CallerWaits.CONTEXT : Context.empty();
    }

    @Override
    public void onSubscribe(UniSubscription started) {
        if (!subscription.compareAndSet(null, started)) {
            started.cancel();
        }
    }
}
