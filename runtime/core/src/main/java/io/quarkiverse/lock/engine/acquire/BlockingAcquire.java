package io.quarkiverse.lock.engine.acquire;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.deadlock.FarWaits;
import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Takes locks on a thread that waits for them. Several are taken in one step where possible, else one after the other, in the
 * order common to all callers. If one is lost while others are waited for, all are given back and it starts over.
 * {@link AsyncAcquire} does the same without a thread.
 */
public final class BlockingAcquire {

    /** How soon to check again for the store's answer when the wait was too short for it. */
    static final long FOR_AN_ANSWER = TimeUnit.MILLISECONDS.toNanos(1);

    private final LockTime time;
    private final CallerThreads threads;
    private final Admission admission;
    private final Scopes scopes;
    private final BlockingRelease release;
    private final OneStepAcquireAll together;
    private final Validity validity;
    private final Events events;
    private final Refusals refusals;
    private final ErrorMessages errors;
    private final @Nullable LockOrders orders;
    private final @Nullable LongWaits longWaits;
    private final @Nullable FarWaits farWaits;

    public BlockingAcquire(LockTime time, CallerThreads threads, Admission admission, Scopes scopes,
            BlockingRelease release, OneStepAcquireAll together, Validity validity, Events events, Refusals refusals,
            ErrorMessages errors, @Nullable LockOrders orders, @Nullable LongWaits longWaits,
            @Nullable FarWaits farWaits) {
        this.time = time;
        this.threads = threads;
        this.admission = admission;
        this.scopes = scopes;
        this.release = release;
        this.together = together;
        this.validity = validity;
        this.events = events;
        this.refusals = refusals;
        this.errors = errors;
        this.orders = orders;
        this.longWaits = longWaits;
        this.farWaits = farWaits;
    }

    /**
     * Takes all of the names, with the caller as a user of each; or none, and returns the hold that
     * {@linkplain Held#refusedHold was refused}.
     *
     * @param names in canonical order, see {@link NamesInOrder}
     * @param known for each name a hold to join if it is still live, or {@code null}
     * @throws LockLostException if one was lost before the caller could go on, and no time is left to start over
     * @throws LockBackendException if one could not be confirmed after a suspension of the machine, and no time is left
     */
    public Held take(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known) {
        return names.length == 1 ? take(names[0], settings, known == null ? null : known[0])
                : new Taking(names, settings, known).take();
    }

    /** {@link #take(String[], HoldSettings, LockHold[])}, for one name: the caller has nothing to lose meanwhile. */
    public LockHold take(String name, HoldSettings settings, @Nullable LockHold known) {
        LockHold joined = join(name, settings, known);
        return joined != null ? joined : tryAcquire(name, settings);
    }

    private @Nullable LockHold join(String name, HoldSettings settings, @Nullable LockHold known) {
        LockHold enclosing = scopes.enclosing(name, settings);
        if (enclosing != null && enclosing.enterFor(settings)) {
            return enclosing;
        }
        return known != null && !validity.lostForGood(known) && known.enterFor(settings) ? known : null;
    }

    /**
     * A new hold of one name, whatever the caller already has of it; or one that {@linkplain LockHold#refused was refused}.
     * If it is lost before this thread goes on, it is asked for again.
     *
     * @throws LockLostException if it was lost, and no time is left
     * @throws LockInterruptedException if the thread is interrupted, even before it begins to wait; its flag is set
     */
    public LockHold tryAcquire(String name, HoldSettings settings) {
        return tryAcquire(name, settings, null, 0);
    }

    private LockHold tryAcquire(String name, HoldSettings settings, @Nullable Holds soFar, long askedFor) {
        LockHold hold = ask(name, settings, soFar, askedFor);
        if (hold.refused()) {
            refusals.refused(hold);
        }
        return hold;
    }

    /** {@link #tryAcquire(String, HoldSettings)}, for a caller that reports the refusal itself. */
    public LockHold ask(String name, HoldSettings settings) {
        return ask(name, settings, null, 0);
    }

    /**
     * @param soFar the holds already taken in the same call
     * @param askedFor how long the caller has already been asking for it
     */
    private LockHold ask(String name, HoldSettings settings, @Nullable Holds soFar, long askedFor) {
        if (threads.blockingForbidden()) {
            throw threads.blockingRefused("Lock '" + PrintableName.of(name)
                    + "' cannot be waited for on an event loop: call this on a worker or virtual thread (@Blocking, "
                    + "@RunOnVirtualThread), or use acquireAsync(), callAsync() or a method that returns Uni");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(name); // even if the backend's answer would come first
        }
        if (orders != null) {
            orders.asked(name, settings, List.of(), soFar == null ? 0 : soFar.size());
        }
        long since = time.nanoTime();
        HoldSettings left = settings;
        for (long now = since;; now = time.nanoTime()) {
            long askedAt = now - askedFor;
            LockHold hold = admission.ask(name, left, Thread.currentThread(), null, askedAt);
            boolean late = hold.waiting();
            if (late) {
                await(hold, soFar, now);
                if (events.recorded()) {
                    events.received(hold, time.nanoTime() - askedAt);
                }
            } else {
                events.received(hold, hold.grantedAt() - askedAt); // another thread may have brought it
            }
            if (hold.refused()) {
                return hold;
            }
            if (soFar != null || (late ? validity.validOrConfirmed(hold) : hold.live())) { // several are checked together
                if (orders != null) {
                    orders.taken(hold);
                }
                return hold;
            }
            WaitBudget budget = new WaitBudget(time, settings, since);
            giveBackUnsure(hold, budget);
            left = budget.left();
        }
    }

    /** Nothing may run under them. Throws the reason if no time is left to ask again. */
    private void giveBackUnsure(Held held, WaitBudget budget) {
        RuntimeException failure = errors.notSure(held, validity.lossForGood(held, false));
        release.giveBack(held); // only now, since a release is no loss
        if (budget.over()) {
            throw failure;
        }
    }

    private void await(LockHold hold, @Nullable Holds soFar, long from) {
        long deadline = from + admission.patience(hold.settings);
        if (longWaits == null || hold.settings.waitNanos() <= LongWaits.LONG_NANOS) {
            await(hold, deadline, deadline);
            return;
        }
        await(hold, deadline, from + LongWaits.LONG_NANOS);
        if (hold.waiting()) {
            LongWaits.Waiter known = longWaits.thread(hold, soFar, time, why -> admission.giveUp(hold, why),
                    farWaits);
            try {
                await(hold, deadline, deadline);
            } finally {
                known.over();
            }
        }
    }

    /** @param until when to return even if it still waits */
    private void await(LockHold hold, long deadline, long until) {
        while (hold.waiting()) {
            if (Thread.currentThread().isInterrupted()) {
                if (admission.giveUp(hold, null)) {
                    refusals.givenUp(hold);
                    throw new LockInterruptedException(hold.name());
                }
                return; // granted at that moment: the caller gets it, with the flag still set
            }
            long left = until - time.nanoTime();
            if (left > 0) {
                time.park(hold, left);
            } else if (until != deadline) {
                return;
            } else if (admission.answerDue(hold)) {
                time.park(hold, FOR_AN_ANSWER);
            } else {
                admission.giveUp(hold, null);
            }
        }
    }

    /** One call for several names. */
    private final class Taking {

        private final String[] names;
        private final HoldSettings settings;
        private final @Nullable LockHold @Nullable [] known;
        private final WaitBudget budget;

        private Taking(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known) {
            this.names = names;
            this.settings = settings;
            this.known = known;
            this.budget = new WaitBudget(time, settings.whileIncomplete());
        }

        private Held take() {
            for (;;) {
                Holds atOnce = atOnce();
                Held taken = atOnce != null ? atOnce : oneByOne();
                if (!(taken instanceof Holds holds) || allSure(holds)) {
                    return taken;
                }
                giveBackUnsure(holds, budget);
            }
        }

        private boolean allSure(Holds holds) {
            List<LockHold> doubtful = validity.inDoubt(holds);
            if (!doubtful.isEmpty()) {
                validity.confirmBlocking(doubtful);
            }
            return validity.complete(holds, settings);
        }

        private Held oneByOne() {
            Holds holds = new Holds(names.length);
            try {
                for (int i = 0; i < names.length; i++) {
                    LockHold joined = join(i);
                    LockHold hold = joined != null ? joined : tryAcquire(names[i], budget.left(), holds, budget.takeAskedFor());
                    if (hold.refused()) {
                        return hold;
                    }
                    holds.add(hold);
                }
                return holds;
            } finally {
                if (!holds.complete()) {
                    release.giveBack(holds);
                }
            }
        }

        /** {@code null} if they have to be taken one by one. */
        private @Nullable Holds atOnce() {
            if (threads.blockingForbidden() || Thread.currentThread().isInterrupted()) {
                return null; // detected at the first hold that must be waited for
            }
            Thread caller = Thread.currentThread();
            HoldSettings left = budget.left();
            // The rest of the wait serves to find out why there is no answer
            long deadline = time.nanoTime() + admission.patience(left) / 2;
            OneStepAcquireAll.Attempt asked = together.prepare(names, left, this::join, caller,
                    over -> LockSupport.unpark(caller));
            if (asked == null) {
                return null;
            }
            if (orders != null) {
                asked.in(orders, List.of());
            }
            long askedAt = time.nanoTime();
            asked.ask(left);
            while (!asked.over()) {
                boolean interrupted = Thread.currentThread().isInterrupted();
                long nanos = deadline - time.nanoTime();
                if ((interrupted || nanos <= 0) && asked.cancel()) {
                    if (interrupted) {
                        throw new LockInterruptedException(String.join(", ", names));
                    }
                    break; // none is taken
                }
                time.park(asked, nanos);
            }
            Holds taken = asked.taken();
            if (taken == null) {
                budget.askedFor(asked.askedFor());
                return null;
            }
            if (orders != null) {
                asked.takenIn(orders);
            }
            asked.received(askedAt);
            return taken;
        }

        private @Nullable LockHold join(int number) {
            return BlockingAcquire.this.join(names[number], settings, known == null ? null : known[number]);
        }
    }
}
