package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.Flow;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.subscription.ContextSupport;
import io.smallrye.mutiny.subscription.MultiSubscriber;

/** {@link LossGuardUni}, for many items. */
public final class LossGuardMulti<T> extends AbstractMulti<T> {

    private final Multi<T> body;
    private final @Nullable LockedPipeline<?> known;

    /** @param known the pipeline for subscribers whose context lacks it */
    LossGuardMulti(Multi<T> body, @Nullable LockedPipeline<?> known) {
        this.body = body;
        this.known = known;
    }

    @Override
    public void subscribe(MultiSubscriber<? super T> subscriber) {
        Context context = MultiPipeline.contextOf(subscriber);
        LockedPipeline<?> brought = Pipelines.innermost(context);
        if (brought != null) {
            body.subscribe(new Guard<T>(brought, subscriber, context));
        } else if (known != null) {
            body.subscribe(new Guard<T>(known, subscriber, known.inside()));
        } else {
            body.subscribe(subscriber);
        }
    }

    private static final class Guard<T> extends LossGuard implements MultiSubscriber<T>, ContextSupport, Flow.Subscription {

        private final MultiSubscriber<? super T> downstream;
        private final ItemsUntilEnd<T> items;
        private Flow.@Nullable Subscription upstream;

        Guard(LockedPipeline<?> pipeline, MultiSubscriber<? super T> downstream, Context context) {
            super(pipeline, context);
            this.downstream = downstream;
            this.items = new ItemsUntilEnd<>(downstream);
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            upstream = subscription;
            comeBetween();
            downstream.onSubscribe(this);
            begin();
        }

        @Override
        public void onItem(T item) {
            if (!ended()) {
                items.pass(item);
            }
        }

        @Override
        public void onCompletion() {
            settleDoubts(() -> items.end(lossNow()));
        }

        @Override
        public void onFailure(Throwable failure) {
            if (end()) {
                items.end(failure);
            }
        }

        /**
         * The guard begins only once the subscriber has its subscription. The first request proves that it has, and may be the
         * only one.
         */
        @Override
        public void request(long n) {
            if (!begun()) {
                begin();
            }
            upstream.request(n);
        }

        @Override
        void cancelBody() {
            upstream.cancel();
        }

        @Override
        void failed(Throwable failure) {
            items.end(failure);
        }
    }
}
