package io.quarkiverse.lock.engine.acquire;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Takes a lock for each subscriber, who is then one of the hold's users: a new hold, or the one in whose pipeline the
 * subscription takes place.
 */
public final class AsyncAcquire {

    private final AsyncWaits waits;
    private final PipelineHolds contexts;
    private final Refusals refusals;
    private final HandOver handOver;

    public AsyncAcquire(AsyncWaits waits, PipelineHolds contexts, Refusals refusals, HandOver handOver) {
        this.waits = waits;
        this.contexts = contexts;
        this.refusals = refusals;
        this.handOver = handOver;
    }

    /** @param known a hold to join if it is still live; {@code null} to look for one in the subscriber's pipeline */
    public AbstractUni<LockHold> of(String name, HoldSettings settings, @Nullable LockHold known) {
        return new HoldUni<>(name, settings, known, hold -> hold, handOver::leaveUnused);
    }

    /** @param back gives the hold back, once, however often and by whomever it is called */
    public <T> AbstractUni<T> of(String name, HoldSettings settings, Function<? super LockHold, ? extends T> as,
            Consumer<? super T> back) {
        return new HoldUni<>(name, settings, null, as, back);
    }

    /** @param <T> what the subscriber is given of the hold */
    private final class HoldUni<T> extends AbstractUni<T> {

        private final String name;
        private final HoldSettings settings;
        private final @Nullable LockHold known;
        private final Function<? super LockHold, ? extends T> as;
        private final Consumer<? super T> back;

        private HoldUni(String name, HoldSettings settings, @Nullable LockHold known,
                Function<? super LockHold, ? extends T> as, Consumer<? super T> back) {
            this.name = name;
            this.settings = settings;
            this.known = known;
            this.as = as;
            this.back = back;
        }

        @Override
        public void subscribe(UniSubscriber<? super T> subscriber) {
            LockHold enclosing = known != null ? known : contexts.enclosing(subscriber.context(), name);
            Subscription<T> subscription = new Subscription<>(subscriber, as, back);
            subscriber.onSubscribe(subscription);
            boolean entered;
            try {
                entered = enclosing != null && enclosing.enterFor(settings);
            } catch (IllegalStateException e) {
                subscriber.onFailure(e);
                return;
            }
            if (entered) {
                subscription.deliver(enclosing);
            } else {
                subscription.waitFor(waits.start(name, settings, subscription::settled));
            }
        }
    }

    /**
     * A cancellation that comes after the delivery comes from a Mutiny operator that has dropped what it was given, as it had
     * been cancelled before, or that has passed it on: some cancel what is behind them in any case. So the hold goes back,
     * unless it has been given back by then.
     */
    private final class Subscription<T> implements UniSubscription {

        private final UniSubscriber<? super T> subscriber;
        private final Function<? super LockHold, ? extends T> as;
        private final Consumer<? super T> back;
        private final AtomicBoolean undone = new AtomicBoolean();
        private volatile boolean cancelled;
        private volatile @Nullable AsyncWaits.Wait wait;
        private volatile @Nullable T delivered;

        Subscription(UniSubscriber<? super T> subscriber, Function<? super LockHold, ? extends T> as,
                Consumer<? super T> back) {
            this.subscriber = subscriber;
            this.as = as;
            this.back = back;
        }

        void waitFor(AsyncWaits.Wait started) {
            wait = started;
            if (cancelled) {
                started.cancel();
            }
        }

        void settled(LockHold hold) {
            if (hold.refused()) {
                subscriber.onFailure(refusals.why(hold));
            } else {
                deliver(hold);
            }
        }

        void deliver(LockHold hold) {
            T item = as.apply(hold);
            delivered = item;
            if (cancelled) {
                undo(item);
            } else {
                subscriber.onItem(item);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            AsyncWaits.Wait started = wait;
            T late = delivered;
            if (late != null) {
                undo(late);
            } else if (started != null) {
                started.cancel();
            }
        }

        private void undo(T item) {
            if (undone.compareAndSet(false, true)) {
                back.accept(item); // what fails is logged and tried again where it failed
            }
        }
    }
}
