package io.quarkiverse.lock.engine.reactive;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Sits inside a transaction that sits inside a locked pipeline. Fails instead of the body when the pipeline tells it to, and
 * turns a result into a failure when the lock is no longer valid.
 */
public final class LossGuardUni<T> extends AbstractUni<T> {

    private final Uni<T> body;
    private final @Nullable LockedPipeline<?> known;

    /** @param known the pipeline for subscribers whose context lacks it */
    LossGuardUni(Uni<T> body, @Nullable LockedPipeline<?> known) {
        this.body = body;
        this.known = known;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        LockedPipeline<?> brought = Pipelines.innermost(subscriber.context());
        if (brought != null) {
            AbstractUni.subscribe(body, new Guard<T>(brought, subscriber, subscriber.context()));
        } else if (known != null) {
            AbstractUni.subscribe(body, new Guard<T>(known, subscriber, known.inside()));
        } else {
            AbstractUni.subscribe(body, subscriber);
        }
    }

    private static final class Guard<T> extends LossGuard implements UniSubscriber<T>, UniSubscription {

        private final UniSubscriber<? super T> downstream;
        private @Nullable UniSubscription upstream;

        Guard(LockedPipeline<?> pipeline, UniSubscriber<? super T> downstream, Context context) {
            super(pipeline, context);
            this.downstream = downstream;
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            upstream = subscription;
            comeBetween();
            downstream.onSubscribe(this);
            begin();
        }

        @Override
        public void onItem(T item) {
            settleDoubts(() -> {
                Throwable loss = lossNow();
                if (loss != null) {
                    downstream.onFailure(loss);
                } else {
                    downstream.onItem(item);
                }
            });
        }

        @Override
        public void onFailure(Throwable failure) {
            if (end()) {
                downstream.onFailure(failure);
            }
        }

        @Override
        void cancelBody() {
            upstream.cancel();
        }

        @Override
        void failed(Throwable failure) {
            downstream.onFailure(failure);
        }
    }
}
