package io.quarkiverse.lock.engine.handle;

import java.util.Optional;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A requested lock, or empty if it is busy. Unlike Mutiny's operators it passes subscriptions on unchanged, so that a
 * cancellation means the same to the lock as to the subscriber.
 */
public final class UnlessBusy extends AbstractUni<Optional<LockHandle>> {

    private final Uni<LockHandle> lock;

    UnlessBusy(Uni<LockHandle> lock) {
        this.lock = lock;
    }

    @Override
    public void subscribe(UniSubscriber<? super Optional<LockHandle>> subscriber) {
        AbstractUni.subscribe(lock, new Handles(subscriber));
    }

    private record Handles(UniSubscriber<? super Optional<LockHandle>> downstream) implements UniSubscriber<LockHandle> {

        @Override
        public Context context() {
            return downstream.context();
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            downstream.onSubscribe(subscription);
        }

        @Override
        public void onItem(LockHandle handle) {
            downstream.onItem(Optional.of(handle));
        }

        @Override
        public void onFailure(Throwable failure) {
            if (failure instanceof LockBusyException) {
                downstream.onItem(Optional.empty());
            } else {
                downstream.onFailure(failure);
            }
        }
    }
}
