package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.subscription.MultiSubscriber;

/**
 * Passes items on until an end that may come from another thread, while an item is on its way: then the end waits for that. The
 * value is how many items are on their way, which is more than one only where one asks for the next.
 */
public final class ItemsUntilEnd<T> extends AtomicInteger {

    private static final long serialVersionUID = 1L;
    private static final int ENDED = Integer.MIN_VALUE;

    private final transient MultiSubscriber<? super T> downstream;
    private transient @Nullable Throwable failure;

    ItemsUntilEnd(MultiSubscriber<? super T> downstream) {
        this.downstream = downstream;
    }

    /** By one thread at a time; drops what comes after the end. */
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

    /** Once. */
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
