package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

/**
 * Takes several names on a thread that waits: one after the other, in the same order as everybody. If one of them is lost while
 * the others are waited for, all are given back and it begins anew. {@link SeveralHoldsUni} does the same without a thread.
 */
public final class AllOrNone {

    private final LockEngine engine;
    private final String[] names;
    private final HoldSettings settings;
    private final @Nullable Hold @Nullable [] known;

    private AllOrNone(LockEngine engine, String[] names, HoldSettings settings, @Nullable Hold @Nullable [] known) {
        this.engine = engine;
        this.names = names;
        this.settings = settings;
        this.known = known;
    }

    /**
     * All of the names, each with the caller as a user; or none, and the one that was refused.
     *
     * @param names in canonical order, see {@link NamesInOrder}
     * @param known for each name a hold to join if it is still live, or {@code null}
     * @throws io.quarkiverse.lock.LockLostException if one was lost, and there is no time left to begin anew
     */
    public static Holds take(LockEngine engine, String[] names, HoldSettings settings,
            @Nullable Hold @Nullable [] known) {
        return new AllOrNone(engine, names, settings, known).take();
    }

    private Holds take() {
        Patience patience = new Patience(engine, settings);
        for (;;) {
            Holds holds = new Holds(names.length);
            boolean taken = false;
            try {
                takeInto(holds, patience);
                taken = holds.allValid();
                if (taken || holds.refused() != null) {
                    return holds;
                }
                if (patience.over()) {
                    throw holds.loss();
                }
            } finally {
                if (!taken) {
                    holds.giveBackBlocking();
                }
            }
        }
    }

    private void takeInto(Holds holds, Patience patience) {
        for (int i = 0; i < names.length; i++) {
            Hold joined = join(i);
            Hold hold = joined != null ? joined : engine.scopes().tryAcquire(names[i], patience.left());
            holds.add(hold);
            if (hold.refused()) {
                return;
            }
        }
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
