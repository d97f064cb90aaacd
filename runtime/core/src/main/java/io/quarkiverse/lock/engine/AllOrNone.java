package io.quarkiverse.lock.engine;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;

/**
 * Takes several names on a thread that waits: in one step where that can be, else one after the other, in the same order as
 * everybody. If one of them is lost while the others are waited for, all are given back and it begins anew.
 * {@link SeveralHoldsUni} does the same without a thread.
 */
public final class AllOrNone {

    private final LockEngine engine;
    private final String[] names;
    private final HoldSettings settings;
    private final @Nullable Hold @Nullable [] known;
    private final Patience patience;

    private AllOrNone(LockEngine engine, String[] names, HoldSettings settings, @Nullable Hold @Nullable [] known) {
        this.engine = engine;
        this.names = names;
        this.settings = settings;
        this.known = known;
        this.patience = new Patience(engine, settings);
    }

    /**
     * All of the names, each with the caller as a user; or none, and the one that was refused.
     *
     * @param names in canonical order, see {@link NamesInOrder}
     * @param known for each name a hold to join if it is still live, or {@code null}
     * @throws LockLostException if one was lost, and there is no time left to begin anew
     */
    public static Holds take(LockEngine engine, String[] names, HoldSettings settings,
            @Nullable Hold @Nullable [] known) {
        return new AllOrNone(engine, names, settings, known).take();
    }

    private Holds take() {
        for (;;) {
            Holds together = together();
            Holds holds = together != null ? together : oneByOne();
            if (holds.refused() != null || holds.noneLost()) {
                return holds;
            }
            LockLostException loss = holds.loss(); // before they are given back, which is no loss
            holds.giveBackBlocking();
            if (patience.over()) {
                throw loss;
            }
        }
    }

    private Holds oneByOne() {
        Holds holds = new Holds(names.length);
        boolean taken = false;
        try {
            for (int i = 0; i < names.length && holds.refused() == null; i++) {
                Hold joined = join(i);
                holds.add(joined != null ? joined : engine.scopes().tryAcquire(names[i], patience.left()));
            }
            taken = holds.refused() == null;
            return holds;
        } finally {
            if (!taken) {
                holds.giveBackBlocking();
            }
        }
    }

    /** {@code null} if they have to be taken one by one. */
    private @Nullable Holds together() {
        if (engine.threads().blockingForbidden() || Thread.currentThread().isInterrupted()) {
            return null; // which is found out for the first that is to be waited for
        }
        Thread caller = Thread.currentThread();
        HoldSettings left = patience.left();
        // The rest of the wait is for finding out why there is no answer
        long deadline = engine.time().nanoTime() + engine.scopes().patience(left) / 2;
        Together asked = Together.start(engine, names, left, this::join, caller, over -> LockSupport.unpark(caller));
        if (asked == null) {
            return null;
        }
        while (!asked.over()) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            long nanos = deadline - engine.time().nanoTime();
            if ((interrupted || nanos <= 0) && asked.cancel()) {
                if (interrupted) {
                    throw new LockInterruptedException(String.join(", ", names));
                }
                return null;
            }
            engine.time().park(asked, nanos);
        }
        return asked.taken();
    }

    private @Nullable Hold join(int index) {
        Hold enclosing = engine.scopes().enclosing(names[index], settings);
        if (enclosing != null && enclosing.enter()) {
            return enclosing;
        }
        Hold bound = known == null ? null : known[index];
        return bound != null && bound.enterFor(settings) ? bound : null;
    }
}
