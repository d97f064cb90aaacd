package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** Takes several names for each subscriber, one after the other: all, or none. */
final class SeveralHoldsUni extends AbstractUni<Holds> {

    private final LockEngine engine;
    private final String[] names;
    private final HoldSettings settings;

    SeveralHoldsUni(LockEngine engine, String[] names, HoldSettings settings) {
        this.engine = engine;
        this.names = names;
        this.settings = settings;
    }

    @Override
    public void subscribe(UniSubscriber<? super Holds> subscriber) {
        Subscription subscription = new Subscription(subscriber);
        subscriber.onSubscribe(subscription);
        subscription.next();
    }

    /**
     * Whoever brings a hold goes on with the next. A cancellation gives back what is there; what comes later gives itself back.
     * One after the delivery comes from an operator that has dropped the holds, as in {@link HoldUni}.
     */
    private final class Subscription extends Guard implements UniSubscription {

        private static final long serialVersionUID = 1L;

        private final transient UniSubscriber<? super Holds> subscriber;
        private final transient Patience patience = new Patience(engine, settings);
        private transient Holds holds = new Holds(names.length);
        private transient @Nullable AsyncWait wait;
        /** Nothing is to come any more: it was cancelled, or has failed. */
        private boolean over;

        Subscription(UniSubscriber<? super Holds> subscriber) {
            this.subscriber = subscriber;
        }

        void next() {
            int number = holds.size();
            if (number == names.length) {
                allThere();
                return;
            }
            String name = names[number];
            Hold enclosing = Pipelines.enclosing(subscriber.context(), engine, name);
            boolean entered;
            try {
                entered = enclosing != null && enclosing.enterFor(settings);
            } catch (IllegalStateException e) {
                fail(e);
                return;
            }
            if (entered) {
                settled(enclosing);
                return;
            }
            AsyncWait started = AsyncWait.start(engine, name, patience.left(), this::settled);
            lock();
            boolean late;
            try {
                late = over;
                if (holds.size() == number) {
                    wait = started; // else its outcome has been here already
                }
            } finally {
                unlock();
            }
            if (late) {
                started.cancel();
            }
        }

        private void settled(Hold hold) {
            lock();
            boolean late;
            try {
                late = over;
                wait = null;
                if (!late) {
                    if (hold.refused()) {
                        over = true;
                    } else {
                        holds.add(hold);
                    }
                }
            } finally {
                unlock();
            }
            if (late) {
                if (!hold.refused()) {
                    hold.leave();
                }
            } else if (hold.refused()) {
                holds.leave();
                subscriber.onFailure(whyRefused(hold));
            } else {
                next();
            }
        }

        private void fail(RuntimeException failure) {
            lock();
            try {
                if (over) {
                    return; // cancelled, which has given them back
                }
                over = true;
            } finally {
                unlock();
            }
            holds.leave();
            subscriber.onFailure(failure);
        }

        private RuntimeException whyRefused(Hold hold) {
            try {
                engine.refused(hold);
                return engine.busy(hold);
            } catch (RuntimeException e) {
                return e;
            }
        }

        private void allThere() {
            Holds all = holds;
            if (all.allValid()) {
                subscriber.onItem(all);
                return;
            }
            boolean again = !patience.over();
            lock();
            try {
                if (over) {
                    return; // cancelled, which has given them back
                }
                if (again) {
                    holds = new Holds(names.length);
                } else {
                    over = true;
                }
            } finally {
                unlock();
            }
            RuntimeException loss = again ? null : all.loss(); // before they are given back, which is no loss
            all.leave();
            if (loss == null) {
                next();
            } else {
                subscriber.onFailure(loss);
            }
        }

        @Override
        public void cancel() {
            AsyncWait waiting;
            lock();
            try {
                if (over) {
                    return;
                }
                over = true;
                waiting = wait;
            } finally {
                unlock();
            }
            if (waiting != null) {
                waiting.cancel();
            }
            holds.leave();
        }
    }
}
