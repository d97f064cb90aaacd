package io.quarkiverse.lock.engine;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Takes a lock for each subscriber, who is then one of the hold's users: a new hold, or the one in whose pipeline the
 * subscription takes place.
 */
final class HoldUni extends AbstractUni<Hold> {

    private final LockEngine engine;
    private final String name;
    private final HoldSettings settings;
    private final @Nullable Hold known;

    /** @param known a hold to join if it is still live; {@code null} to look for one in the subscriber's pipeline */
    HoldUni(LockEngine engine, String name, HoldSettings settings, @Nullable Hold known) {
        this.engine = engine;
        this.name = name;
        this.settings = settings;
        this.known = known;
    }

    @Override
    public void subscribe(UniSubscriber<? super Hold> subscriber) {
        Hold enclosing = known != null ? known : Pipelines.enclosing(subscriber.context(), engine, name);
        Subscription subscription = new Subscription(engine, subscriber);
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
            subscription.waitFor(AsyncWait.start(engine, name, settings, subscription::settled));
        }
    }

    /**
     * A cancellation that comes after the delivery comes from a Mutiny operator that has dropped the hold because it had been
     * cancelled before: one that has taken an item does not cancel any more. So the hold goes back.
     */
    private static final class Subscription implements UniSubscription {

        private final LockEngine engine;
        private final UniSubscriber<? super Hold> subscriber;
        private final AtomicBoolean undone = new AtomicBoolean();
        private volatile boolean cancelled;
        private volatile @Nullable AsyncWait wait;
        private volatile @Nullable Hold delivered;

        Subscription(LockEngine engine, UniSubscriber<? super Hold> subscriber) {
            this.engine = engine;
            this.subscriber = subscriber;
        }

        void waitFor(AsyncWait started) {
            wait = started;
            if (cancelled) {
                started.cancel();
            }
        }

        void settled(Hold hold) {
            if (!hold.refused()) {
                deliver(hold);
                return;
            }
            RuntimeException failure;
            try {
                engine.refused(hold);
                failure = engine.failures().busy(hold);
            } catch (RuntimeException e) {
                failure = e;
            }
            subscriber.onFailure(failure);
        }

        void deliver(Hold hold) {
            delivered = hold;
            if (cancelled) {
                undo(hold);
            } else {
                subscriber.onItem(hold);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            AsyncWait started = wait;
            Hold late = delivered;
            if (late != null) {
                undo(late);
            } else if (started != null) {
                started.cancel();
            }
        }

        private void undo(Hold hold) {
            if (undone.compareAndSet(false, true)) {
                hold.leaveUnused(); // what fails is logged and tried again where it failed
            }
        }
    }
}
