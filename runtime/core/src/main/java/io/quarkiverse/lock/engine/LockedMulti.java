package io.quarkiverse.lock.engine;

import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.MultiSubscriber;

/** Runs a body of many items under a lock: takes it, subscribes to the body, and gives it back when the body has ended. */
final class LockedMulti<T> extends AbstractMulti<T> {

    private final LockEngine engine;
    private final AbstractUni<? extends Held> lock;
    private final Pipelines.MultiBody<T> body;
    private final boolean skipIfBusy;

    LockedMulti(LockEngine engine, AbstractUni<? extends Held> lock, Pipelines.MultiBody<T> body, boolean skipIfBusy) {
        this.engine = engine;
        this.lock = lock;
        this.body = body;
        this.skipIfBusy = skipIfBusy;
    }

    @Override
    public void subscribe(MultiSubscriber<? super T> subscriber) {
        new MultiPipeline<>(engine, body, skipIfBusy, subscriber).start(lock);
    }
}
