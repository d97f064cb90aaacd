package io.quarkiverse.lock.engine;

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
        Subscription subscription = new Subscription();
        subscriber.onSubscribe(subscription);
        if (enclosing != null && enclosing.enter()) {
            subscriber.onItem(enclosing);
            return;
        }
        subscription.waitFor(AsyncWait.start(engine, name, settings, hold -> {
            if (subscription.cancelled) {
                if (!hold.refused()) {
                    hold.leave();
                }
                return;
            }
            if (!hold.refused()) {
                subscriber.onItem(hold);
                return;
            }
            try {
                engine.refused(hold);
            } catch (RuntimeException failure) {
                subscriber.onFailure(failure);
                return;
            }
            subscriber.onFailure(engine.failures().busy(hold));
        }));
    }

    private static final class Subscription implements UniSubscription {

        private volatile boolean cancelled;
        private volatile @Nullable AsyncWait wait;

        void waitFor(AsyncWait started) {
            wait = started;
            if (cancelled) {
                started.cancel();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            AsyncWait started = wait;
            if (started != null) {
                started.cancel();
            }
        }
    }
}
