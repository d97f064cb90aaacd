package io.quarkiverse.lock.engine;

import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Runs a body under a lock: takes it, subscribes to the body, and gives it back when the body has ended. */
final class LockedUni<T> extends AbstractUni<T> {

    private final LockEngine engine;
    private final AbstractUni<? extends Held> lock;
    private final Pipelines.Body<T> body;
    private final boolean skipIfBusy;

    LockedUni(LockEngine engine, AbstractUni<? extends Held> lock, Pipelines.Body<T> body, boolean skipIfBusy) {
        this.engine = engine;
        this.lock = lock;
        this.body = body;
        this.skipIfBusy = skipIfBusy;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        new UniPipeline<>(engine, body, skipIfBusy, subscriber).start(lock);
    }
}
