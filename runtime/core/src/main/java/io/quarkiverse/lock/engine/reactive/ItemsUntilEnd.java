package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.subscription.MultiSubscriber;

/**
 * Passes items on until the end. If the end comes from another thread while an item is being delivered, it waits for that
 * delivery. The value is the number of items being delivered, which exceeds one only if an item requests the next one.
 */
public final class ItemsUntilEnd<T> extends AtomicInteger {

    private static final long serialVersionUID = 1L;
    private static final int ENDED = Integer.MIN_VALUE;

    private final transient MultiSubscriber<? super T> downstream;
    private transient @Nullable Throwable failure;

    ItemsUntilEnd(MultiSubscriber<? super T> downstream) {
        this.downstream = downstream;
    }

    /** Called by one thread at a time; drops items that come after the end. */
    void pass(T item) {
        int underWay;
        do {
            underWay = get();
            if (underWay < 0) {
                return;
            }
        } while (!compareAndSet(underWay, underWay + 1));
        downstream.onItem(item);
        if (decrementAndGet() == ENDED) {
            tell();
        }
    }

    /** Called once. */
    void end(@Nullable Throwable why) {
        failure = why;
        if (getAndAdd(ENDED) == 0) {
            tell();
        }
    }

    private void tell() {
        if (failure == null) {
            downstream.onCompletion();
        } else {
            downstream.onFailure(failure);
        }
    }
}
