package io.quarkiverse.lock.spi.support;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Backoff;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.LockStore.Attempt;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A claim until it is settled: answered or cancelled, whichever comes first.
 * <ol>
 * <li>It asks the store, always under the same token, and one question at a time.
 * <li>A grant answers it. So does a busy name, unless the claim waits: that one asks again after a pause.
 * <li>A failed question may have been executed. So the claim asks again, which finds what was granted; a claim that does not
 * wait gives up once the operation timeout is over.
 * <li>Whatever the store may have granted to a settled claim is withdrawn, after the reply to the question under way.
 * </ol>
 */
final class PolledClaim implements UniSubscription {

    private final LockStore store;
    private final LockTime time;
    private final Claim claim;
    private final UniSubscriber<? super Answer> subscriber;
    private final Backoff pauses;
    /** When a claim that does not wait stops asking again after failures. */
    private final long deadline;
    private final ReentrantLock guard = new ReentrantLock();

    private boolean settled;
    private boolean asking;
    /** A question has failed, so the store may have granted what nobody knows of. */
    private boolean uncertain;
    private long askedAt;
    private LockTime.@Nullable Timer pause;

    PolledClaim(LockStore store, LockTime time, Claim claim, UniSubscriber<? super Answer> subscriber, Duration longestPause,
            Duration operationTimeout) {
        this.store = store;
        this.time = time;
        this.claim = claim;
        this.subscriber = subscriber;
        this.pauses = new Backoff(longestPause);
        this.deadline = time.nanoTime() + operationTimeout.toNanos();
    }

    void ask() {
        guard.lock();
        try {
            if (settled) {
                return;
            }
            asking = true;
            askedAt = time.nanoTime();
        } finally {
            guard.unlock();
        }
        store.take(claim).subscribe().with(this::answered, this::failed);
    }

    private void answered(Attempt attempt) {
        boolean tooLate;
        guard.lock();
        try {
            asking = false;
            uncertain = false;
            tooLate = settled;
            if (!tooLate) {
                claim.trouble(null);
                settled = attempt.granted() || !claim.waits();
            }
            if (!settled) {
                claim.heldBy(attempt.heldBy());
                askAgainLater();
                return;
            }
        } finally {
            guard.unlock();
        }
        if (!tooLate) {
            subscriber.onItem(attempt.granted() ? new StoreGrant(claim, attempt.fence(), askedAt)
                    : new Busy(attempt.heldBy()));
        } else if (attempt.granted()) {
            withdraw();
        }
    }

    private void failed(Throwable failure) {
        boolean tooLate;
        guard.lock();
        try {
            asking = false;
            uncertain = true;
            tooLate = settled;
            settled |= !claim.waits() && deadline - time.nanoTime() <= 0;
            if (!settled) {
                claim.trouble(failure);
                askAgainLater();
                return;
            }
        } finally {
            guard.unlock();
        }
        if (!tooLate) {
            subscriber.onFailure(failure);
        }
        withdraw();
    }

    private void askAgainLater() {
        pause = time.schedule(pauses.next(), this::ask);
    }

    /** Nobody wants the answer any more. The reply to a question that is under way says what there is to withdraw. */
    @Override
    public void cancel() {
        guard.lock();
        try {
            if (settled) {
                return;
            }
            settled = true;
            if (pause != null) {
                pause.cancel();
            }
            if (asking || !uncertain) {
                return;
            }
        } finally {
            guard.unlock();
        }
        withdraw();
    }

    /** Until the store has answered, or the lease has ended whatever it may have granted. */
    private void withdraw() {
        store.release(claim.name(), claim.token()).subscribe().with(had -> {
        }, failure -> {
            if (time.nanoTime() - askedAt < claim.leaseNanos()) {
                time.schedule(pauses.next(), this::withdraw);
            }
        });
    }
}
