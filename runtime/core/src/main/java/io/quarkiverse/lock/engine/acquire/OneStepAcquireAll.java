package io.quarkiverse.lock.engine.acquire;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.queue.ClaimAnswers;
import io.quarkiverse.lock.engine.queue.Claims;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.queue.Releases;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.state.TryHold;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Asks for several names in one step, where the backend can do that: all of them, or none. It waits for no name, so it need not
 * keep to an order, and it overtakes no waiter. If the names cannot be had that way, they are taken one after the other as
 * usual. Names that the caller already has are joined instead of requested.
 * <p>
 * It is its own subscriber for the same reason as {@code ClaimAttempt}: no grant may be dropped.
 */
public final class OneStepAcquireAll {

    private static final int ASKED = 0;
    private static final int ANSWERED = 1;
    private static final int CANCELLED = 2;
    private static final UniSubscription GIVEN_UP = () -> {
    };

    private final LockBackend backend;
    private final LockTime time;
    private final LeaseRules rules;
    private final NameTable table;
    private final Claims claims;
    private final ClaimAnswers answers;
    private final Releases releases;
    private final HandOver handOver;
    private final Events events;
    /** Asked, and not answered. */
    private final Set<Attempt> underWay = ConcurrentHashMap.newKeySet();

    public OneStepAcquireAll(LockBackend backend, LockTime time, LeaseRules rules, NameTable table, Claims claims,
            ClaimAnswers answers, Releases releases, HandOver handOver, Events events) {
        this.backend = backend;
        this.time = time;
        this.rules = rules;
        this.table = table;
        this.claims = claims;
        this.answers = answers;
        this.releases = releases;
        this.handOver = handOver;
        this.events = events;
    }

    /**
     * Prepares the attempt that {@linkplain Attempt#ask asks} for them, if that is worthwhile.
     *
     * @param join makes the caller a user of its existing hold of the name with this index; {@code null} if it has none
     * @param caller the waiting thread, if there is one
     * @param done called when it is {@linkplain Attempt#over over}, on the thread that brings the answer
     * @return {@code null} if the names have to be taken one after the other
     */
    @Nullable
    Attempt prepare(String[] names, HoldSettings settings, IntFunction<@Nullable LockHold> join, @Nullable Thread caller,
            Consumer<Attempt> done) {
        if (table.closing() || !backend.takesTogether(List.of(names))) {
            return null;
        }
        Holds holds = new Holds(names.length);
        List<TryHold> asked = new ArrayList<>(names.length);
        boolean worth = false;
        try {
            worth = gather(names, settings, join, caller, holds, asked);
        } finally {
            if (!worth) {
                giveUp(holds, asked);
            }
        }
        if (!worth) {
            return null;
        }
        asked.forEach(events::follow); // before anybody can cancel it, so that all of them are notified
        return new Attempt(holds, asked, done);
    }

    private boolean gather(String[] names, HoldSettings settings,
            IntFunction<@Nullable LockHold> join, @Nullable Thread caller, Holds holds, List<TryHold> asked) {
        long now = time.nanoTime();
        for (int i = 0; i < names.length; i++) {
            LockHold joined = join.apply(i);
            if (joined == null) {
                TryHold hold = new TryHold(table.of(names[i]), settings, now, caller, null);
                if (!hold.queue.enterTogether(hold, table::closing)) {
                    return false; // something in this JVM must be waited for, or it is stopping
                }
                asked.add(hold);
                holds.add(hold);
            } else {
                holds.add(joined);
            }
        }
        return asked.size() > 1;
    }

    private void giveUp(Holds holds, List<TryHold> asked) {
        for (TryHold hold : asked) {
            answers.refusedAlone(hold, Refusal.busy(null));
            events.givenUp(hold);
        }
        handOver.giveBack(holds);
    }

    /** After {@link Claims#pause}: withdraws what was asked before it. Its callers take their names one after the other. */
    public void withdrawAll() {
        underWay.forEach(Attempt::withdraw);
    }

    /** The names of one caller, and the answer awaited for them. An attempt is either asked or cancelled. */
    final class Attempt implements UnderWay, UniSubscriber<List<? extends Grant>> {

        private final Holds holds;
        private final List<TryHold> asked;
        private final Consumer<Attempt> done;
        private final long clockGap;
        private final long askedAt;
        private final AtomicInteger state = new AtomicInteger(ASKED);
        private final AtomicReference<@Nullable UniSubscription> subscription = new AtomicReference<>();
        private volatile boolean over;

        private Attempt(Holds holds, List<TryHold> asked, Consumer<Attempt> done) {
            this.holds = holds;
            this.asked = asked;
            this.done = done;
            this.clockGap = LeaseRules.clockGap(time);
            this.askedAt = asked.get(0).requestedAt();
        }

        /** The current thread is about to ask for them. */
        void in(LockOrders orders, List<LockHold> around) {
            for (int i = 0; i < asked.size(); i++) {
                orders.asked(asked.get(i).name(), asked.get(i).settings, around, i);
            }
        }

        /** The current thread has taken them. */
        void takenIn(LockOrders orders) {
            asked.forEach(orders::taken);
        }

        void ask(HoldSettings settings) {
            underWay.add(this); // first: whoever ends it from now on takes it out again
            if (claims.paused()) {
                withdraw();
            }
            if (state.get() != ASKED) {
                underWay.remove(this);
                return;
            }
            try {
                List<Claim> made = new ArrayList<>(asked.size());
                for (TryHold hold : asked) {
                    made.add(claims.make(hold.name(), settings));
                }
                AbstractUni.subscribe(backend.acquireTogether(made), this);
            } catch (RuntimeException | Error e) {
                onFailure(e); // or their names would never be at rest
            }
        }

        /** Once it is over: the holds of all names; {@code null} if they must be taken one after the other. */
        @Nullable
        Holds taken() {
            for (TryHold hold : asked) {
                if (hold.refused()) {
                    return null;
                }
            }
            return holds;
        }

        /** The current thread has received them, having asked at that time. */
        void received(long askedAt) {
            for (TryHold hold : asked) {
                events.received(hold, hold.grantedAt() - askedAt);
            }
        }

        /** How long ago they were asked for. */
        long askedFor() {
            return time.nanoTime() - askedAt;
        }

        /** Whether the answer has been processed. */
        boolean over() {
            return over;
        }

        /** Also {@code false} if the answer has arrived: the attempt is then over, or about to be. */
        @Override
        public boolean cancel() {
            if (!state.compareAndSet(ASKED, CANCELLED)) {
                return false;
            }
            underWay.remove(this);
            stop();
            giveUp(holds, asked);
            return true;
        }

        /** As if the answer were that not all are free. */
        private void withdraw() {
            if (state.compareAndSet(ASKED, ANSWERED)) {
                stop();
                finish(true);
            }
        }

        private void stop() {
            UniSubscription started = subscription.getAndSet(GIVEN_UP);
            if (started != null) {
                started.cancel();
            }
        }

        // --- the answer

        @Override
        public void onSubscribe(UniSubscription started) {
            if (!subscription.compareAndSet(null, started)) {
                started.cancel();
            }
        }

        @Override
        public void onItem(List<? extends Grant> grants) {
            boolean awaited = state.compareAndSet(ASKED, ANSWERED);
            if (!awaited || table.closing() || outOfDate(grants)) {
                for (Grant grant : grants) {
                    releases.undo(grant);
                }
                if (awaited) {
                    finish(true); // taking them one after the other finds out, and reports the reason if it fails
                }
                return;
            }
            for (int i = 0; i < grants.size(); i++) {
                TryHold hold = asked.get(i);
                events.emit(Kind.REQUESTED, hold, 0, null);
                answers.grantedAlone(hold, grants.get(i), clockGap);
            }
            finish(grants.isEmpty());
        }

        /** Whether the machine may have been suspended since the request, so that each grant must be confirmed. */
        private boolean outOfDate(List<? extends Grant> grants) {
            for (Grant grant : grants) {
                if (rules.clocksParted(grant, clockGap)) {
                    return true;
                }
            }
            return false;
        }

        /** Reports nothing: if the failure persists, the caller learns of it when it takes the names one after the other. */
        @Override
        public void onFailure(Throwable failure) {
            if (state.compareAndSet(ASKED, ANSWERED)) {
                finish(true);
            }
        }

        private void finish(boolean inVain) {
            underWay.remove(this);
            if (inVain || taken() == null) {
                giveUp(holds, asked);
            }
            over = true;
            done.accept(this);
        }
    }
}
