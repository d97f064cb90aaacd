package io.quarkiverse.lock.engine.acquire;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.state.Held;
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
 * Takes locks for each subscriber, which becomes one of the holds' users: new holds, or those of the pipelines in which the
 * subscription takes place. Several names are taken all or none: in one step where possible, else one after the other. The
 * caller is notified once, of all holds together. {@link BlockingAcquire} does the same on a waiting thread.
 */
public final class AsyncAcquire {

    private static final int TAKING = 0;
    private static final int DELIVERED = 1;
    private static final int OVER = 2;

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
    private final @Nullable LockOrders orders;

    public AsyncAcquire(LockTime time, CallerThreads threads, Admission admission, AsyncWaits waits, OneStepAcquireAll together,
            PipelineHolds contexts, Validity validity, HandOver handOver, Refusals refusals, ErrorMessages errors,
            @Nullable LockOrders orders) {
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
        this.orders = orders;
    }

    /**
     * @param names in canonical order, see {@link NamesInOrder}
     * @param known for each name a hold to join if it is still live, or {@code null} to look in the subscriber's pipeline
     */
    public AbstractUni<Held> of(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known) {
        return new HeldUni<>(names, settings, known, held -> held, handOver::giveBack);
    }

    /** @param back gives the holds back, once, however often it is called and by whichever caller */
    public <T> AbstractUni<T> of(String[] names, HoldSettings settings, Function<? super Held, ? extends T> as,
            Consumer<? super T> back) {
        return new HeldUni<>(names, settings, null, as, back);
    }

    /** @param <T> what the subscriber gets for the holds */
    private final class HeldUni<T> extends AbstractUni<T> {

        private final String[] names;
        private final HoldSettings settings;
        private final @Nullable LockHold @Nullable [] known;
        private final Function<? super Held, ? extends T> as;
        private final Consumer<? super T> back;

        private HeldUni(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known,
                Function<? super Held, ? extends T> as, Consumer<? super T> back) {
            this.names = names;
            this.settings = settings;
            this.known = known;
            this.as = as;
            this.back = back;
        }

        @Override
        public void subscribe(UniSubscriber<? super T> subscriber) {
            if (orders != null) {
                orders.asked(names, settings, PipelineHolds.all(subscriber.context()));
            }
            LockHold around = contexts.beginning(names);
            Taking taking = new Taking(around == null || contexts.isInside(subscriber.context(), around.name()) ? subscriber
                    : new OutsideOfItsPipeline<>(subscriber, around, errors));
            subscriber.onSubscribe(taking);
            taking.begin();
        }

        /**
         * The thread that brings a hold goes on with the next. A cancellation ends what is under way and gives back the holds
         * taken so far; if the outcome is already on its way, the thread that brings it gives everything back.
         * <p>
         * A cancellation after the delivery comes from a Mutiny operator. It may have dropped the item because it had been
         * cancelled before, or have passed it on: some operators always cancel their upstream. In either case the holds go
         * back, unless they already have; a handle knows whether it was in use. A cancellation from within the delivery changes
         * nothing: whoever cancels has the item, and some operators pass it on after that.
         */
        private final class Taking implements UniSubscription, AsyncWaits.Caller {

            private final UniSubscriber<? super T> subscriber;
            private final AtomicInteger stage = new AtomicInteger(TAKING);
            /** Set before it begins, since its outcome may arrive before the call returns. */
            private volatile @Nullable UnderWay underWay;
            /** Written before the stage changes. */
            private @Nullable T delivered;
            /** Not volatile: a thread only asks whether it is the one, and sees its own writes. */
            private @Nullable Thread delivering;

            private final Executor here;
            /** For one name only once it has been granted in vain. */
            private @Nullable WaitBudget budget;
            /** When one name was first asked for. */
            private long since;
            /** How many steps are due: a second one if a name is settled before the call that asks for it has returned. */
            private final AtomicInteger steps = new AtomicInteger();
            /** The holds to give back if there is no delivery: a {@link Holds} for several names. */
            private @Nullable Held taken;
            private volatile LockTime.@Nullable Timer deadline;

            Taking(UniSubscriber<? super T> subscriber) {
                this.subscriber = subscriber;
                this.budget = names.length == 1 ? null : new WaitBudget(time, settings.whileIncomplete());
                this.here = threads.here();
            }

            void begin() {
                if (names.length == 1) {
                    taken = null;
                    next();
                    return;
                }
                taken = new Holds(names.length);
                HoldSettings left = budget.left();
                OneStepAcquireAll.Attempt attempt;
                try {
                    attempt = together.prepare(names, left, this::join, null, this::leadBack);
                } catch (IllegalStateException e) {
                    fail(e);
                    return;
                }
                if (attempt == null) {
                    next();
                    return;
                }
                if (begins(attempt)) {
                    deadline = time.schedule(admission.patience(left) / 2, () -> {
                        if (attempt.cancel()) {
                            leadBack(attempt);
                        }
                    });
                    attempt.ask(left);
                    if (stage.get() == OVER) {
                        stopTimer(); // it was cancelled before the timer was known
                    }
                }
            }

            /** {@code false} if the caller has cancelled. */
            private boolean begins(UnderWay next) {
                underWay = next;
                if (stage.get() != OVER) {
                    return true;
                }
                if (next.cancel()) {
                    giveBack();
                }
                return false;
            }

            private void leadBack(OneStepAcquireAll.Attempt attempt) {
                CallerRuns.run(here, () -> answered(attempt, null),
                        rejection -> answered(attempt, errors.rejected(String.join(", ", names), rejection)));
            }

            /** @param rejected why the rest cannot run where the caller was; {@code null} if it does */
            private void answered(OneStepAcquireAll.Attempt attempt, @Nullable RuntimeException rejected) {
                stopTimer();
                Holds all = attempt.taken();
                if (all != null) {
                    taken = all;
                }
                if (rejected != null) {
                    fail(rejected);
                } else if (all != null) {
                    allThere(all);
                } else {
                    budget.askedFor(attempt.askedFor());
                    next();
                }
            }

            private @Nullable LockHold join(int number) {
                LockHold bound = known == null ? null : known[number];
                LockHold enclosing = bound != null ? bound : contexts.enclosing(subscriber.context(), names[number]);
                return enclosing != null && !validity.lostForGood(enclosing) && enclosing.enterFor(settings) ? enclosing : null;
            }

            /** Asks for the next name, but not from within the call for the one before: there may be thousands of names. */
            private void next() {
                if (steps.getAndIncrement() == 0) {
                    do {
                        step();
                    } while (steps.decrementAndGet() > 0);
                }
            }

            private void step() {
                int number = taken instanceof Holds several ? several.size() : 0;
                LockHold joined;
                try {
                    joined = join(number);
                } catch (IllegalStateException e) {
                    fail(e);
                    return;
                }
                if (joined != null) {
                    taken(joined);
                    return;
                }
                AsyncWaits.Wait wait = waits.outcomeTo(this, here);
                if (begins(wait)) {
                    long now = time.nanoTime();
                    if (budget == null) {
                        since = now;
                    }
                    wait.start(names[number], budget == null ? settings : budget.left(),
                            budget == null ? now : now - budget.takeAskedFor());
                }
            }

            @Override
            public List<LockHold> owned() {
                List<LockHold> owned = PipelineHolds.all(subscriber.context());
                Held soFar = taken;
                for (int i = 0; soFar != null && i < soFar.size(); i++) {
                    owned.add(soFar.get(i));
                }
                return owned;
            }

            @Override
            public void settled(LockHold hold, boolean late) {
                if (hold.refused()) {
                    if (ends()) {
                        failAfterGivingBack(refusals.why(hold));
                    } else {
                        refusals.givenUp(hold);
                    }
                } else if (names.length == 1 && !(late ? validity.valid(hold) : hold.live())) {
                    taken = hold;
                    allThere(hold);
                } else {
                    taken(hold);
                }
            }

            private void taken(LockHold hold) {
                if (!(taken instanceof Holds several)) {
                    deliver(hold);
                    return;
                }
                several.add(hold);
                if (several.complete()) {
                    allThere(several);
                } else {
                    next();
                }
            }

            @Override
            public void undelivered(RuntimeException why) {
                fail(why);
            }

            private void allThere(Held all) {
                List<LockHold> doubtful = validity.inDoubt(all);
                if (doubtful.isEmpty()) {
                    allSure(all);
                    return;
                }
                Confirmation confirmation = new Confirmation();
                if (begins(confirmation)) {
                    validity.confirm(doubtful, () -> {
                        if (confirmation.settles()) {
                            CallerRuns.run(here, () -> allSure(all),
                                    rejection -> fail(errors.rejected(String.join(", ", names), rejection)));
                        }
                    });
                }
            }

            private void allSure(Held all) {
                if (budget == null) {
                    budget = new WaitBudget(time, settings, since);
                }
                if (validity.complete(all, settings)) {
                    deliver(all);
                } else if (!budget.over()) {
                    handOver.giveBack(all);
                    begin();
                } else if (ends()) {
                    failAfterGivingBack(errors.notSure(all, validity.lossForGood(all, false)));
                }
            }

            private void deliver(Held held) {
                T item = as.apply(held);
                delivered = item;
                if (stage.compareAndSet(TAKING, DELIVERED)) {
                    delivering = Thread.currentThread();
                    try {
                        subscriber.onItem(item);
                    } finally {
                        delivering = null;
                    }
                } else {
                    back.accept(item); // failures are logged and retried where they occur
                }
            }

            private void fail(RuntimeException failure) {
                if (ends()) {
                    failAfterGivingBack(failure);
                }
            }

            /** {@code false} if the caller has cancelled. */
            private boolean ends() {
                if (stage.compareAndSet(TAKING, OVER)) {
                    return true;
                }
                giveBack();
                return false;
            }

            /** A fallback for the body may want the names itself. */
            private void failAfterGivingBack(RuntimeException failure) {
                Uni<Void> given = giveBack();
                if (given == Nothing.UNI) {
                    subscriber.onFailure(failure);
                } else {
                    given.subscribe().with(nothing -> CallerRuns.run(here, () -> subscriber.onFailure(failure)),
                            ignored -> CallerRuns.run(here, () -> subscriber.onFailure(failure)));
                }
            }

            private Uni<Void> giveBack() {
                Held soFar = taken;
                return soFar == null ? Nothing.UNI : handOver.giveBack(soFar);
            }

            private void stopTimer() {
                LockTime.Timer timer = deadline;
                if (timer != null) {
                    timer.cancel();
                }
            }

            @Override
            public void cancel() {
                if (delivering == Thread.currentThread()) {
                    return;
                }
                int before = stage.getAndSet(OVER);
                if (before == DELIVERED) {
                    back.accept(delivered); // failures are logged and retried where they occur
                } else if (before == TAKING) {
                    stopTimer();
                    UnderWay last = underWay;
                    if (last != null && last.cancel()) {
                        giveBack();
                    }
                }
            }
        }
    }
}
