package io.quarkiverse.lock.engine.acquire;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * An answer of the backend for users: each subscriber gets it where it subscribed. What a user does with it may block, and the
 * thread that brings the answer may be the one that brings all others. An answer that is there at once needs no other thread.
 */
public final class LedBack<T> extends AbstractUni<T> {

    private final CallerThreads threads;
    private final Uni<T> answer;

    public LedBack(CallerThreads threads, Uni<T> answer) {
        this.threads = threads;
        this.answer = answer;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        var caller = new Caller<T>(subscriber, threads.here());
        AbstractUni.subscribe(answer, caller);
        caller.subscribing = null;
    }

    private static final class Caller<T> implements UniSubscriber<T>, UniSubscription {

        private final UniSubscriber<? super T> subscriber;
        private final Executor here;
        /** Until the subscription returns. Other threads may see an old value, which is not theirs either. */
        private @Nullable Thread subscribing = Thread.currentThread();
        private volatile @Nullable UniSubscription upstream;
        private volatile boolean cancelled;

        Caller(UniSubscriber<? super T> subscriber, Executor here) {
            this.subscriber = subscriber;
            this.here = here;
        }

        @Override
        public Context context() {
            return subscriber.context();
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            upstream = subscription;
            subscriber.onSubscribe(this);
        }

        @Override
        public void onItem(T item) {
            lead(() -> subscriber.onItem(item));
        }

        @Override
        public void onFailure(Throwable failure) {
            lead(() -> subscriber.onFailure(failure));
        }

        private void lead(Runnable told) {
            if (subscribing == Thread.currentThread()) {
                told.run();
                return;
            }
            CallerRuns.run(here, () -> {
                if (!cancelled) {
                    told.run();
                }
            });
        }

        @Override
        public void cancel() {
            cancelled = true;
            upstream.cancel();
        }
    }
}
