package io.quarkiverse.lock.engine.reactive;

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
public final class LossGuardUni<T> extends AbstractUni<T> {

    private final Uni<T> body;
    private final @Nullable LockedPipeline<?> known;

    /** @param known the pipeline for subscribers that do not bring it */
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

    private static final class Guard<T> implements UniSubscriber<T>, UniSubscription, LockedPipeline.LossGuard {

        private final LockedPipeline<?> pipeline;
        private final UniSubscriber<? super T> downstream;
        private final Context context;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile boolean begun;
        private @Nullable UniSubscription upstream;

        Guard(LockedPipeline<?> pipeline, UniSubscriber<? super T> downstream, Context context) {
            this.pipeline = pipeline;
            this.downstream = downstream;
            this.context = context;
        }

        @Override
        public Context context() {
            return context;
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            upstream = subscription;
            pipeline.guardedBy(this);
            downstream.onSubscribe(this);
            begun = true;
            Throwable stop = pipeline.stop();
            if (stop != null) {
                fail(stop);
            }
        }

        @Override
        public void onItem(T item) {
            if (ended.compareAndSet(false, true)) {
                Throwable loss = pipeline.lossNow();
                if (loss != null) {
                    downstream.onFailure(loss);
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
        public void fail(Throwable failure) {
            if (begun && ended.compareAndSet(false, true)) {
                upstream.cancel();
                downstream.onFailure(failure);
            }
        }

        @Override
        public void cancel() {
            if (ended.compareAndSet(false, true)) {
                upstream.cancel();
            }
        }
    }
}
