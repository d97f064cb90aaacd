package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

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

    /** @param known the pipeline for subscribers that do not bring it */
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

    private static final class Guard<T> implements MultiSubscriber<T>, ContextSupport, Flow.Subscription,
            LockedPipeline.LossGuard {

        private final LockedPipeline<?> pipeline;
        private final MultiSubscriber<? super T> downstream;
        private final ItemsUntilEnd<T> items;
        private final Context context;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile boolean begun;
        private Flow.@Nullable Subscription upstream;

        Guard(LockedPipeline<?> pipeline, MultiSubscriber<? super T> downstream, Context context) {
            this.pipeline = pipeline;
            this.downstream = downstream;
            this.items = new ItemsUntilEnd<>(downstream);
            this.context = context;
        }

        @Override
        public Context context() {
            return context;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            upstream = subscription;
            pipeline.guardedBy(this);
            downstream.onSubscribe(this);
            begin();
        }

        /** Not before the subscriber has its subscription; it has when it uses it, and that may be all the items. */
        private void begin() {
            begun = true;
            Throwable stop = pipeline.stop();
            if (stop != null) {
                fail(stop);
            }
        }

        @Override
        public void onItem(T item) {
            if (!ended.get()) {
                items.pass(item);
            }
        }

        @Override
        public void onCompletion() {
            if (ended.compareAndSet(false, true)) {
                items.end(pipeline.lossNow());
            }
        }

        @Override
        public void onFailure(Throwable failure) {
            if (ended.compareAndSet(false, true)) {
                items.end(failure);
            }
        }

        @Override
        public void fail(Throwable failure) {
            if (begun && ended.compareAndSet(false, true)) {
                upstream.cancel();
                items.end(failure);
            }
        }

        @Override
        public void request(long n) {
            if (!begun) {
                begin();
            }
            upstream.request(n);
        }

        @Override
        public void cancel() {
            if (ended.compareAndSet(false, true)) {
                upstream.cancel();
            }
        }
    }
}
