package io.quarkiverse.lock.spi;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * For backends: tells a subscriber the outcome of an operation once, unless it has cancelled; the operation itself then
 * continues. Thread-safe. Not for claims: their answers must arrive or be undone.
 */
public final class Outcome<T> implements UniSubscription {

    private final UniSubscriber<? super T> subscriber;
    private final AtomicBoolean over = new AtomicBoolean();

    public Outcome(UniSubscriber<? super T> subscriber) {
        this.subscriber = subscriber;
    }

    /** Whether the subscriber has been told, or has cancelled. */
    public boolean over() {
        return over.get();
    }

    public void complete(@Nullable T item) {
        if (over.compareAndSet(false, true)) {
            subscriber.onItem(item);
        }
    }

    public void fail(Throwable failure) {
        if (over.compareAndSet(false, true)) {
            subscriber.onFailure(failure);
        }
    }

    @Override
    public void cancel() {
        over.set(true);
    }
}
