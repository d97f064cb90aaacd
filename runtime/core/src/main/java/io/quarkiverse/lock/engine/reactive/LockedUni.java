package io.quarkiverse.lock.engine.reactive;

import java.util.function.Consumer;

import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Runs a body under a lock: takes it, subscribes to the body, and gives it back when the body has ended. */
public final class LockedUni<T> extends AbstractUni<T> {

    private final Consumer<UniSubscriber<? super T>> pipeline;

    /** @param pipeline starts one for each subscriber */
    LockedUni(Consumer<UniSubscriber<? super T>> pipeline) {
        this.pipeline = pipeline;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        pipeline.accept(subscriber);
    }
}
