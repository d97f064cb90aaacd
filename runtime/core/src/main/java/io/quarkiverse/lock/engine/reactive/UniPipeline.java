package io.quarkiverse.lock.engine.reactive;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.PipelineHolds;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** One subscription to a {@code Uni} under a lock: its result comes after the release. */
public final class UniPipeline<T> extends LockedPipeline<Uni<T>> implements UniSubscription {

    private final Pipelines.Body<T> body;
    private final ItemCheck check;
    private final UniSubscriber<? super T> downstream;
    private volatile @Nullable UniSubscription upstream;
    /** Written before the end of the body is announced. */
    private @Nullable T item;

    UniPipeline(CallerThreads threads, PipelineHolds contexts, Validity validity, HoldNotifier notifier,
            HandOver handOver,
            Pipelines.Body<T> body, ItemCheck check, UniSubscriber<? super T> downstream) {
        super(threads, contexts, validity, notifier, handOver);
        this.body = body;
        this.check = check;
        this.downstream = downstream;
    }

    void start(AbstractUni<? extends Held> lock) {
        downstream.onSubscribe(this);
        waitFor(lock);
    }

    @Override
    Context outside() {
        return downstream.context();
    }

    @Override
    @Nullable
    Uni<T> make(Held granted) {
        return body.under(granted, this);
    }

    @Override
    void subscribeTo(Uni<T> made) {
        AbstractUni.subscribe(made, new Body());
    }

    @Override
    boolean begun() {
        return upstream != null;
    }

    @Override
    void cancelBody() {
        upstream.cancel();
    }

    @Override
    void refused(Throwable failure) {
        downstream.onFailure(failure);
    }

    @Override
    void ended(@Nullable Throwable failure) {
        if (failure != null) {
            downstream.onFailure(failure);
        } else {
            downstream.onItem(item);
        }
    }

    private final class Body implements UniSubscriber<T> {

        @Override
        public Context context() {
            return inside();
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            upstream = subscription;
            lookForStop();
        }

        @Override
        public void onItem(T result) {
            item = result;
            bodyEnded(check.problem(result));
        }

        @Override
        public void onFailure(Throwable failure) {
            bodyEnded(failure);
        }
    }
}
