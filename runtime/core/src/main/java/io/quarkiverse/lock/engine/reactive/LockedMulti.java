package io.quarkiverse.lock.engine.reactive;

import java.util.function.Consumer;

import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.subscription.MultiSubscriber;

/** Runs a body of many items under a lock: takes it, subscribes to the body, and gives it back when the body has ended. */
public final class LockedMulti<T> extends AbstractMulti<T> {

    private final Consumer<MultiSubscriber<? super T>> pipeline;

    /** @param pipeline starts one for each subscriber */
    LockedMulti(Consumer<MultiSubscriber<? super T>> pipeline) {
        this.pipeline = pipeline;
    }

    @Override
    public void subscribe(MultiSubscriber<? super T> subscriber) {
        pipeline.accept(subscriber);
    }
}
