package io.quarkiverse.lock.engine.acquire;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.state.Guard;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Takes several names for each subscriber: all, or none; in one step where that can be, else one after the other.
 * The caller is notified once, of all holds together. {@link BlockingAcquire} does the same on a thread that waits.
 */
public final class AsyncAcquireAll {

    private final LockTime time;
    private final CallerThreads threads;
    private final Admission admission;
    private final AsyncWaits waits;
    private final OneStepAcquireAll together;
    private final PipelineHolds contexts;
    private final Validity validity;
    private final HandOver handOver;
    private final Refusals refusals;
    private final ErrorMessages errors;

    public AsyncAcquireAll(LockTime time, CallerThreads threads, Admission admission, AsyncWaits waits,
            OneStepAcquireAll together, PipelineHolds contexts, Validity validity, HandOver handOver, Refusals refusals,
            ErrorMessages errors) {
        this.time = time;
        this.threads = threads;
        this.admission = admission;
        this.waits = waits;
        this.together = together;
        this.contexts = contexts;
        this.validity = validity;
        this.handOver = handOver;
        this.refusals = refusals;
        this.errors = errors;
    }

    /** @param known for each name a hold to join if it is still live, or {@code null} to look in the subscriber's pipeline */
    public AbstractUni<Holds> of(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known) {
        return new HoldsUni<>(names, settings, known, holds -> holds, handOver::giveBack);
    }

    /** @param back gives the holds back, once, however often and by whomever it is called */
    public <T> AbstractUni<T> of(String[] names, HoldSettings settings, Function<? super Holds, ? extends T> as,
            Consumer<? super T> back) {
        return new HoldsUni<>(names, settings, null, as, back);
    }

    /** @param <T> what the subscriber is given of the holds */
    private final class HoldsUni<T> extends AbstractUni<T> {

        private final String[] names;
        private final HoldSettings settings;
        private final @Nullable LockHold @Nullable [] known;
        private final Function<? super Holds, ? extends T> as;
        private final Consumer<? super T> back;

        private HoldsUni(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known,
                Function<? super Holds, ? extends T> as, Consumer<? super T> back) {
            this.names = names;
            this.settings = settings;
            this.known = known;
            this.as = as;
            this.back = back;
        }

        @Override
        public void subscribe(UniSubscriber<? super T> subscriber) {
            Subscription subscription = new Subscription(subscriber);
            subscriber.onSubscribe(subscription);
            subscription.begin();
        }

        /**
         * Whoever brings a hold goes on with the next. A cancellation gives back what is there; what comes later gives itself
         * back. One after the delivery comes from an operator that has dropped the holds, as in {@link HoldUni}.
         */
        private final class Subscription extends Guard implements UniSubscription {

            private static final long serialVersionUID = 1L;

            private final transient UniSubscriber<? super T> subscriber;
            private final transient WaitBudget budget = new WaitBudget(time, settings);
            private final transient Executor here = threads.here();
            private transient Holds holds = new Holds(names.length);
            private transient @Nullable AsyncWaits.Wait wait;
            private transient OneStepAcquireAll.@Nullable Attempt asked;
            private transient LockTime.@Nullable Timer deadline;
            private transient @Nullable T delivered;
            /** Nothing is to come any more: it was cancelled, or has failed. */
            private boolean over;
            /**
             * How many answers there have been. One may be there, and more may have been asked for, before the asking returns.
             */
            private int answers;

            Subscription(UniSubscriber<? super T> subscriber) {
                this.subscriber = subscriber;
            }

            void begin() {
                int before = answersSoFar();
                OneStepAcquireAll.Attempt started;
                try {
                    started = together.start(names, budget.left(), this::join, null, this::leadBack);
                } catch (IllegalStateException e) {
                    fail(e);
                    return;
                }
                if (started == null) {
                    next();
                    return;
                }
                LockTime.Timer timer = time.schedule(admission.patience(budget.left()) / 2, () -> {
                    if (started.cancel()) {
                        leadBack(started);
                    }
                });
                lock();
                boolean late;
                boolean answered;
                try {
                    late = over;
                    answered = answers != before;
                    if (!answered) {
                        asked = started;
                        deadline = timer;
                    }
                } finally {
                    unlock();
                }
                if (late) {
                    started.cancel();
                }
                if (late || answered) {
                    timer.cancel();
                }
            }

            private int answersSoFar() {
                lock();
                try {
                    return answers;
                } finally {
                    unlock();
                }
            }

            private void leadBack(OneStepAcquireAll.Attempt attempt) {
                CallerRuns.run(here, () -> answered(attempt, null),
                        rejection -> answered(attempt, errors.rejected(String.join(", ", names), rejection)));
            }

            /** @param rejected why what follows cannot take place where the caller was; {@code null} if it does */
            private void answered(OneStepAcquireAll.Attempt attempt, @Nullable RuntimeException rejected) {
                Holds all = attempt.taken();
                LockTime.Timer timer;
                boolean late;
                lock();
                try {
                    late = over;
                    answers++;
                    timer = deadline;
                    if (!late && all != null) {
                        holds = all;
                    }
                } finally {
                    unlock();
                }
                if (timer != null) {
                    timer.cancel();
                }
                if (late) {
                    if (all != null) {
                        handOver.giveBack(all);
                    }
                } else if (rejected != null) {
                    fail(rejected);
                } else if (all != null) {
                    allThere();
                } else {
                    next();
                }
            }

            private @Nullable LockHold join(int number) {
                LockHold bound = known == null ? null : known[number];
                LockHold enclosing = bound != null ? bound : contexts.enclosing(subscriber.context(), names[number]);
                return enclosing != null && enclosing.enterFor(settings) ? enclosing : null;
            }

            void next() {
                int number = holds.size();
                if (number == names.length) {
                    allThere();
                    return;
                }
                String name = names[number];
                LockHold joined;
                try {
                    joined = join(number);
                } catch (IllegalStateException e) {
                    fail(e);
                    return;
                }
                if (joined != null) {
                    settled(joined);
                    return;
                }
                int before = answersSoFar();
                AsyncWaits.Wait started = waits.start(name, budget.left(), this::settled);
                lock();
                boolean late;
                try {
                    late = over;
                    if (answers == before) {
                        wait = started; // else its outcome has been here already
                    }
                } finally {
                    unlock();
                }
                if (late) {
                    started.cancel();
                }
            }

            private void settled(LockHold hold) {
                lock();
                boolean late;
                try {
                    late = over;
                    answers++;
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
                        handOver.leaveUnused(hold);
                    }
                } else if (hold.refused()) {
                    failAfterGivingBack(refusals.why(hold));
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
                failAfterGivingBack(failure);
            }

            /** What stands in for the body may want the names itself. */
            private void failAfterGivingBack(RuntimeException failure) {
                Uni<Void> given = handOver.giveBack(holds);
                if (given == Nothing.UNI) {
                    subscriber.onFailure(failure);
                } else {
                    given.subscribe().with(nothing -> CallerRuns.run(here, () -> subscriber.onFailure(failure)),
                            ignored -> CallerRuns.run(here, () -> subscriber.onFailure(failure)));
                }
            }

            private void allThere() {
                List<LockHold> doubtful = validity.inDoubt(holds);
                if (doubtful.isEmpty()) {
                    allSure();
                } else {
                    validity.confirm(doubtful, () -> CallerRuns.run(here, this::allSure,
                            rejection -> fail(errors.rejected(String.join(", ", names), rejection))));
                }
            }

            private void allSure() {
                Holds all = holds;
                if (validity.noneLost(all) && validity.inDoubt(all).isEmpty()) {
                    deliver(all);
                    return;
                }
                boolean again = !budget.over();
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
                if (again) {
                    handOver.giveBack(all);
                    begin();
                } else {
                    failAfterGivingBack(errors.notSure(all, validity.lossForGood(all, false)));
                }
            }

            private void deliver(Holds all) {
                T item;
                lock();
                try {
                    if (over) {
                        return; // cancelled, which has given them back
                    }
                    item = as.apply(all);
                    delivered = item;
                } finally {
                    unlock();
                }
                subscriber.onItem(item);
            }

            @Override
            public void cancel() {
                T item;
                AsyncWaits.Wait waiting;
                OneStepAcquireAll.Attempt underWay;
                LockTime.Timer timer;
                lock();
                try {
                    if (over) {
                        return;
                    }
                    over = true;
                    item = delivered;
                    waiting = wait;
                    underWay = asked;
                    timer = deadline;
                } finally {
                    unlock();
                }
                if (timer != null) {
                    timer.cancel();
                }
                if (underWay != null) {
                    underWay.cancel();
                }
                if (waiting != null) {
                    waiting.cancel();
                }
                if (item != null) {
                    back.accept(item);
                } else {
                    handOver.giveBack(holds);
                }
            }
        }
    }
}
