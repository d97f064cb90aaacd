package io.quarkiverse.lock.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * The answer to a call that is made anew for each subscription. Not an emitter of Mutiny's: that one takes the caller's
 * contexts
 * along for whatever it calls, which costs more than the call, while the next JVM waits for the lock that this one gives back.
 */
final class CallUni<T> extends AbstractUni<T> {

    private final Consumer<Outcome<T>> call;

    /** @param call has to come to an outcome in bounded time */
    CallUni(Consumer<Outcome<T>> call) {
        this.call = call;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        var outcome = new Outcome<T>(subscriber);
        subscriber.onSubscribe(outcome);
        call.accept(outcome);
    }

    /** Tells the subscriber, unless it has cancelled. What has been sent goes on nevertheless. */
    static final class Outcome<T> implements UniSubscription {

        private final UniSubscriber<? super T> subscriber;
        private final AtomicBoolean over = new AtomicBoolean();

        private Outcome(UniSubscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        void complete(@Nullable T item) {
            if (over.compareAndSet(false, true)) {
                subscriber.onItem(item);
            }
        }

        void fail(Throwable failure) {
            if (over.compareAndSet(false, true)) {
                subscriber.onFailure(failure);
            }
        }

        @Override
        public void cancel() {
            over.set(true);
        }
    }
}
