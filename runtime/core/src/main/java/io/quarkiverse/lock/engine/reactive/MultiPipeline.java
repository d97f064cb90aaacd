package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.Flow;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.PipelineHolds;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.helpers.Subscriptions;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.ContextSupport;
import io.smallrye.mutiny.subscription.MultiSubscriber;

/**
 * One subscription to a {@code Multi} under a lock: items pass while the lock is held, and the end follows the release.
 * Requests made during the wait for the lock are passed to the body later.
 */
public final class MultiPipeline<T> extends LockedPipeline<Multi<T>> implements Flow.Subscription {

    private final Pipelines.MultiBody<T> body;
    private final MultiSubscriber<? super T> downstream;
    private final ItemsUntilEnd<T> items;
    private final Subscriptions.DeferredSubscription upstream = new Subscriptions.DeferredSubscription();
    private volatile boolean begun;

    MultiPipeline(CallerThreads threads, PipelineHolds contexts, Validity validity, HoldNotifier notifier,
            HandOver handOver,
            Pipelines.MultiBody<T> body, MultiSubscriber<? super T> downstream) {
        super(threads, contexts, validity, notifier, handOver);
        this.body = body;
        this.downstream = downstream;
        this.items = new ItemsUntilEnd<>(downstream);
    }

    void start(AbstractUni<? extends Held> lock) {
        downstream.onSubscribe(this);
        waitFor(lock);
    }

    @Override
    public void request(long n) {
        upstream.request(n);
    }

    @Override
    Context outside() {
        return contextOf(downstream);
    }

    static Context contextOf(Flow.Subscriber<?> subscriber) {
        return subscriber instanceof ContextSupport with ? with.context() : Context.empty();
    }

    @Override
    @Nullable
    Multi<T> make(Held granted) {
        return body.under(granted, this);
    }

    @Override
    void subscribeTo(Multi<T> made) {
        made.subscribe(new Body());
    }

    @Override
    boolean begun() {
        return begun;
    }

    /**
     * Cancelling is an ordinary end: a transaction around the body commits as it would without a lock, unless the lock is gone.
     */
    @Override
    boolean failsFromWithin() {
        return guarded() && (!cancelled() || lossNow() != null);
    }

    /** Unless the subscriber takes no more items: without requests for them, it would never end. */
    @Override
    boolean endsByItself() {
        return super.endsByItself() && !cancelled();
    }

    @Override
    void cancelBody() {
        upstream.cancel();
    }

    @Override
    void refused(Throwable failure) {
        items.end(failure);
    }

    @Override
    void ended(@Nullable Throwable failure) {
        items.end(failure);
    }

    private final class Body implements MultiSubscriber<T>, ContextSupport {

        @Override
        public Context context() {
            return inside();
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            begun = true; // first, since passing on the requests may already bring items
            upstream.set(subscription);
            lookForStop();
        }

        @Override
        public void onItem(T item) {
            Throwable reason = stop();
            if (reason == null || endsByItself() && !held().isLoss(reason)) {
                items.pass(item); // the loss of another lock is for the transaction around both
            } else if (endsByItself()) {
                endBetweenItems();
            }
        }

        @Override
        public void onCompletion() {
            bodyEnded(null);
        }

        @Override
        public void onFailure(Throwable failure) {
            bodyEnded(withoutEchoes(failure));
        }

        /** Undoes what Quarkus transactions do to a failure that passes through them: combine it with itself, several times. */
        private Throwable withoutEchoes(Throwable failure) {
            if (failure instanceof CompositeException several) {
                for (Throwable cause : several.getCauses()) {
                    if (held().isLoss(cause)) {
                        return cause;
                    }
                }
            }
            return failure;
        }
    }
}
