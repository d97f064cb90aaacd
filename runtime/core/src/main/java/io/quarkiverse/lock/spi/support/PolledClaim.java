package io.quarkiverse.lock.spi.support;

import java.time.Duration;
import java.util.Objects;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Backoff;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.LockStore.Attempt;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A claim until it is settled: answered or cancelled, whichever comes first.
 * <ol>
 * <li>It asks the store, always under the same token, with one request at a time.
 * <li>A grant answers it. So does a busy name, unless the claim waits: then it asks again after a pause.
 * <li>A failed request may have been executed. So the claim asks again, which finds a grant already made; a claim that does not
 * wait gives up once the operation timeout is over.
 * <li>Whatever the store may have granted to a settled claim is withdrawn, after the reply to the request under way.
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
    private final ClaimProgress progress;
    /** Whether the store may have granted the claim: its last answer says so, or is missing. */
    private boolean maybeGranted;
    private long askedAt;

    PolledClaim(LockStore store, LockTime time, Claim claim, UniSubscriber<? super Answer> subscriber, Duration longestPause,
            Duration operationTimeout) {
        this.store = store;
        this.time = time;
        this.claim = claim;
        this.subscriber = subscriber;
        this.pauses = new Backoff(longestPause);
        this.deadline = time.nanoTime() + operationTimeout.toNanos();
        this.progress = new ClaimProgress(time);
    }

    void ask() {
        if (progress.begin()) {
            askedAt = time.nanoTime();
            Uni<Attempt> asking;
            try {
                asking = Objects.requireNonNull(store.take(claim), "the answer of the store");
            } catch (RuntimeException | Error e) { // or no step could ever follow this one
                asking = Uni.createFrom().failure(e);
            }
            asking.subscribe().with(this::answered, this::failed);
        }
    }

    private void answered(Attempt attempt) {
        maybeGranted = attempt.granted();
        boolean last = attempt.granted() || !claim.waits();
        claim.trouble(null);
        if (!last) {
            claim.heldBy(attempt.heldBy());
        }
        switch (next(last)) {
            case ANSWER -> subscriber.onItem(attempt.granted() ? new StoreGrant(claim, attempt.fence(), askedAt)
                    : new Busy(attempt.heldBy()));
            case UNDO -> undo();
            case AT_ONCE, LATER -> {
            }
        }
    }

    private void failed(Throwable failure) {
        maybeGranted = true;
        boolean last = !claim.waits() && deadline - time.nanoTime() <= 0;
        if (!last) {
            claim.trouble(failure);
        }
        switch (next(last)) {
            case ANSWER -> {
                try {
                    subscriber.onFailure(failure);
                } finally {
                    withdraw();
                }
            }
            case UNDO -> undo();
            case AT_ONCE, LATER -> {
            }
        }
    }

    private ClaimProgress.Next next(boolean last) {
        return progress.ended(last, last ? 0 : pauses.next(), this::ask);
    }

    /** Nobody wants the answer any more. The reply to a request under way shows what must be withdrawn. */
    @Override
    public void cancel() {
        if (progress.end()) {
            progress.beginUndo();
            undo();
        }
    }

    private void undo() {
        if (progress.undo() && maybeGranted) {
            withdraw();
        }
    }

    /** Retries until the store has answered, or until any grant that it may have made has expired. */
    private void withdraw() {
        Uni<Boolean> releasing;
        try {
            releasing = Objects.requireNonNull(store.release(claim.name(), claim.token()), "the answer of the store");
        } catch (RuntimeException | Error e) {
            releasing = Uni.createFrom().failure(e);
        }
        releasing.subscribe().with(had -> {
        }, failure -> {
            if (time.nanoTime() - askedAt < claim.leaseNanos()) {
                time.schedule(pauses.next(), this::withdraw);
            }
        });
    }
}
