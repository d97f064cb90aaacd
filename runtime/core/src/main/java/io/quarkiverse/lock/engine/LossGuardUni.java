package io.quarkiverse.lock.engine;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Sits inside a transaction that sits inside a locked pipeline. Fails instead of the body when the pipeline tells it to, and
 * turns a result into a failure when the lock is not valid any more.
 */
final class LossGuardUni<T> extends AbstractUni<T> {

    private final Uni<T> body;

    LossGuardUni(Uni<T> body) {
        this.body = body;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        LockedPipeline<?> pipeline = Pipelines.innermost(subscriber.context());
        if (pipeline == null) {
            AbstractUni.subscribe(body, subscriber);
        } else {
            AbstractUni.subscribe(body, new Guard<T>(pipeline, subscriber));
        }
    }

    private static final class Guard<T> implements UniSubscriber<T>, UniSubscription, LockedPipeline.LossGuard {

        private final LockedPipeline<?> pipeline;
        private final UniSubscriber<? super T> downstream;
        private final AtomicBoolean ended = new AtomicBoolean();
        private @Nullable UniSubscription upstream;

        Guard(LockedPipeline<?> pipeline, UniSubscriber<? super T> downstream) {
            this.pipeline = pipeline;
            this.downstream = downstream;
        }

        @Override
        public Context context() {
            return downstream.context();
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            upstream = subscription;
            downstream.onSubscribe(this);
            pipeline.guardedBy(this);
        }

        @Override
        public void onItem(T item) {
            if (ended.compareAndSet(false, true)) {
                if (pipeline.failsOnLoss() && !pipeline.hold().valid()) {
                    downstream.onFailure(pipeline.hold().loss());
                } else {
                    downstream.onItem(item);
                }
            }
        }

        @Override
        public void onFailure(Throwable failure) {
            if (ended.compareAndSet(false, true)) {
                downstream.onFailure(failure);
            }
        }

        @Override
        public boolean fail(Throwable failure) {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            upstream.cancel();
            downstream.onFailure(failure);
            return true;
        }

        @Override
        public void cancel() {
            if (ended.compareAndSet(false, true)) {
                upstream.cancel();
            }
        }
    }
}
