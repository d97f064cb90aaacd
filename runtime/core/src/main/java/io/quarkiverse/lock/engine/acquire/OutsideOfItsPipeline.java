package io.quarkiverse.lock.engine.acquire;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.state.LockHold;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A caller in the body of a pipeline that asks for the pipeline's lock from outside the pipeline itself: by {@code await()}, or
 * by its own subscription. That is not a nested call, so it waits. If it waits in vain, its failure says why.
 */
final class OutsideOfItsPipeline<T> implements UniSubscriber<T> {

    private final UniSubscriber<? super T> subscriber;
    private final LockHold around;
    private final ErrorMessages errors;

    OutsideOfItsPipeline(UniSubscriber<? super T> subscriber, LockHold around, ErrorMessages errors) {
        this.subscriber = subscriber;
        this.around = around;
        this.errors = errors;
    }

    @Override
    public Context context() {
        return subscriber.context();
    }

    @Override
    public void onSubscribe(UniSubscription subscription) {
        subscriber.onSubscribe(subscription);
    }

    @Override
    public void onItem(T item) {
        subscriber.onItem(item);
    }

    @Override
    public void onFailure(Throwable failure) {
        subscriber.onFailure(failure instanceof LockBusyException busy && busy.lockName().equals(around.name()) && around.live()
                ? errors.busyWithItsPipeline(busy)
                : failure);
    }
}
