package io.quarkiverse.lock.local;

import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** A claim that waits in the store: either answered or cancelled, never both. */
final class LocalClaim implements UniSubscription {

    final LocalBackend backend;
    final Claim claim;
    private final UniSubscriber<? super Answer> subscriber;
    /** When it joined the line. Guarded by the store. */
    long since;
    private final AtomicBoolean settled = new AtomicBoolean();

    LocalClaim(LocalBackend backend, Claim claim, UniSubscriber<? super Answer> subscriber) {
        this.backend = backend;
        this.claim = claim;
        this.subscriber = subscriber;
    }

    /** A grant that arrives too late goes back. */
    void answer(Answer answer) {
        if (settled.compareAndSet(false, true)) {
            subscriber.onItem(answer);
        } else if (answer instanceof Grant grant) {
            backend.giveBack(grant);
        }
    }

    boolean cancelled() {
        return settled.get();
    }

    @Override
    public void cancel() {
        if (settled.compareAndSet(false, true)) {
            backend.withdraw(this);
        }
    }
}
