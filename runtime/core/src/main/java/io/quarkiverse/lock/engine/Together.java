package io.quarkiverse.lock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Several names asked for in one step, where the backend can do that: all of them, or none. Nobody waits for a name here, so
 * there is no order to keep, and whoever waits is not overtaken: if that is not how it goes, the names are taken one after the
 * other as ever. What the caller has already is joined and not asked for.
 * <p>
 * It subscribes itself for the same reason as {@link ClaimAttempt}: no grant is to be dropped.
 */
final class Together implements UniSubscriber<List<? extends Grant>> {

    private static final int ASKED = 0;
    private static final int ANSWERED = 1;
    private static final int CANCELLED = 2;
    private static final UniSubscription GIVEN_UP = () -> {
    };

    private final LockEngine engine;
    private final Holds holds;
    private final List<LoneHold> asked;
    private final Consumer<Together> done;
    private final long clockGap;
    private final AtomicInteger state = new AtomicInteger(ASKED);
    private final AtomicReference<@Nullable UniSubscription> subscription = new AtomicReference<>();
    private volatile boolean over;

    private Together(LockEngine engine, Holds holds, List<LoneHold> asked, Consumer<Together> done) {
        this.engine = engine;
        this.holds = holds;
        this.asked = asked;
        this.done = done;
        this.clockGap = Sent.clockGap(engine.time());
    }

    /**
     * Asks for them, if that is worth it.
     *
     * @param join makes the caller a user of what it has already of the name with this number; {@code null} if it has none
     * @param waiter a {@link Thread} to unpark, or a {@link Hold.Waiter} that does nothing
     * @param done called when it is {@link #over}, on whatever thread brings the answer
     * @return {@code null} if the names have to be taken one after the other
     */
    static @Nullable Together start(LockEngine engine, String[] names, HoldSettings settings,
            IntFunction<@Nullable Hold> join, Object waiter, Consumer<Together> done) {
        if (engine.closing() || !engine.backend().takesTogether(List.of(names))) {
            return null;
        }
        Holds holds = new Holds(names.length);
        List<LoneHold> asked = new ArrayList<>(names.length);
        boolean worth = false;
        try {
            worth = gather(engine, names, settings, join, waiter, holds, asked);
        } finally {
            if (!worth) {
                giveUp(holds, asked);
            }
        }
        if (!worth) {
            return null;
        }
        Together together = new Together(engine, holds, asked, done);
        together.ask(settings);
        return together;
    }

    private static boolean gather(LockEngine engine, String[] names, HoldSettings settings,
            IntFunction<@Nullable Hold> join, Object waiter, Holds holds, List<LoneHold> asked) {
        long now = engine.time().nanoTime();
        for (int i = 0; i < names.length; i++) {
            Hold joined = join.apply(i);
            if (joined == null) {
                LoneHold hold = new LoneHold(engine.names().of(names[i]), settings, now, waiter);
                if (!hold.queue.enterTogether()) {
                    return false; // there is something to wait for in this JVM
                }
                asked.add(hold);
                holds.add(hold);
            } else {
                holds.add(joined);
            }
        }
        return asked.size() > 1;
    }

    private static void giveUp(Holds holds, List<LoneHold> asked) {
        for (LoneHold hold : asked) {
            hold.queue.refusedAlone(hold, Refusal.busy(null));
        }
        holds.giveBack();
    }

    private void ask(HoldSettings settings) {
        List<Claim> claims = new ArrayList<>(asked.size());
        for (LoneHold hold : asked) {
            claims.add(engine.claims().make(hold.name(), settings));
        }
        try {
            AbstractUni.subscribe(engine.backend().acquireTogether(claims), this);
        } catch (RuntimeException e) {
            onFailure(e);
        }
    }

    /** Once it is over: all of the names; {@code null} if they have to be taken one after the other. */
    @Nullable
    Holds taken() {
        for (LoneHold hold : asked) {
            if (hold.refused()) {
                return null;
            }
        }
        return holds;
    }

    /** Whether the answer has been dealt with. */
    boolean over() {
        return over;
    }

    /** Gives up, and gives back what is there; {@code false} if the answer is there, so that it is over or about to be. */
    boolean cancel() {
        if (!state.compareAndSet(ASKED, CANCELLED)) {
            return false;
        }
        UniSubscription started = subscription.getAndSet(GIVEN_UP);
        if (started != null) {
            started.cancel();
        }
        giveUp(holds, asked);
        return true;
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
        if (!awaited || engine.closing() || outOfDate(grants)) {
            for (Grant grant : grants) {
                engine.releases().undo(grant);
            }
            if (awaited) {
                finish(true); // who takes them one after the other finds out, and is told why if that is in vain
            }
            return;
        }
        for (int i = 0; i < grants.size(); i++) {
            LoneHold hold = asked.get(i);
            engine.events().emit(Kind.REQUESTED, hold, 0, null);
            hold.queue.grantedAlone(hold, grants.get(i), clockGap);
        }
        finish(grants.isEmpty());
    }

    /** Whether the machine may have been suspended since they were asked for, so that each has to be confirmed. */
    private boolean outOfDate(List<? extends Grant> grants) {
        for (Grant grant : grants) {
            if (Lease.clocksParted(grant, clockGap, engine)) {
                return true;
            }
        }
        return false;
    }

    /** Whatever it is, who takes them one after the other finds it out, and is told so. */
    @Override
    public void onFailure(Throwable failure) {
        if (state.compareAndSet(ASKED, ANSWERED)) {
            finish(true);
        }
    }

    private void finish(boolean inVain) {
        if (inVain || taken() == null) {
            giveUp(holds, asked);
        }
        over = true;
        done.accept(this);
    }
}
