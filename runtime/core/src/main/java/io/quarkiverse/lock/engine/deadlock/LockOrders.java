package io.quarkiverse.lock.engine.deadlock;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Warns of locks that are taken in opposite orders, wherever in this JVM, before two callers meet. For development and tests:
 * it looks at each lock that is asked for under another one.
 * <p>
 * A lock goes by its template here, or by its name where it has none. Who only tries, and does not wait, is in nobody's way.
 */
public final class LockOrders {

    private static final Logger LOG = Logger.getLogger(LockOrders.class);
    private static final int KEPT = 512;

    private final ReentrantLock guard = new ReentrantLock();
    /** Where each order was seen first. Guarded. */
    private final Map<Order, Taken> seen = new Latest<>();
    /** The pairs of which there has been a warning. Guarded. */
    private final Map<Set<String>, Boolean> told = new Latest<>();
    /** The holds that code on the current thread runs under, of each engine. */
    private final List<Supplier<List<LockHold>>> scopes = new CopyOnWriteArrayList<>();
    /**
     * What the current thread has taken itself and not given back yet, be it bound to a scope, to a transaction, or a handle.
     */
    private final ThreadLocal<List<LockHold>> own = ThreadLocal.withInitial(ArrayList::new);

    /** @param holds those that code on the current thread runs under */
    public void seeing(Supplier<List<LockHold>> holds) {
        scopes.add(holds);
    }

    /** The current thread has taken a lock. */
    public void taken(LockHold hold) {
        ownNow().add(hold);
    }

    /** What the current thread has taken of these belongs to a stage from here on: the thread goes on to other things. */
    public void outliveThread(Held held) {
        List<LockHold> mine = ownNow();
        for (int i = 0; i < held.size(); i++) {
            mine.remove(held.get(i));
        }
    }

    /**
     * The current thread is about to ask for a lock.
     *
     * @param around the holds in whose pipelines it does that
     */
    public void asked(String name, HoldSettings wanted, List<LockHold> around) {
        if (wanted.waitNanos() == 0) {
            return;
        }
        List<LockHold> mine = ownNow();
        if (has(mine, name) || has(around, name)) {
            return;
        }
        note(mine, name, wanted);
        note(around, name, wanted);
        for (int i = 0; i < scopes.size(); i++) {
            note(scopes.get(i).get(), name, wanted);
        }
    }

    private List<LockHold> ownNow() {
        List<LockHold> mine = own.get();
        for (int i = mine.size() - 1; i >= 0; i--) {
            if (!mine.get(i).live()) {
                mine.remove(i);
            }
        }
        return mine;
    }

    private static boolean has(List<LockHold> holds, String name) {
        for (int i = 0; i < holds.size(); i++) {
            if (holds.get(i).name().equals(name)) {
                return true; // it goes on with that one
            }
        }
        return false;
    }

    private void note(List<LockHold> outer, String name, HoldSettings wanted) {
        for (int i = 0; i < outer.size(); i++) {
            LockHold hold = outer.get(i);
            if (hold.live()) {
                note(Lock.of(hold.name(), hold.settings), Lock.of(name, wanted));
            }
        }
    }

    private void note(Lock outer, Lock inner) {
        if (outer.what.equals(inner.what)) {
            return; // there is no order of locks that go by the same template
        }
        Order order = new Order(outer, inner);
        Taken here;
        Taken there;
        guard.lock();
        try {
            if (seen.containsKey(order)) {
                return;
            }
            here = new Taken(order);
            seen.put(order, here);
            there = opposite(order);
            if (there == null || told.put(Set.of(outer.what, inner.what), true) != null) {
                return;
            }
        } finally {
            guard.unlock();
        }
        there.addSuppressed(here);
        LOG.warnf(there, "Locks '%s' and '%s' are taken in opposite orders: two callers who do so at the same time wait for "
                + "each other until one of them gives up. Take them in the same order everywhere, or both at once "
                + "(@Locked with both names, LockManager.all). The stack traces show where each order was seen first. This is "
                + "said once for each pair, in development and tests; quarkus.lock.deadlock-detection=off keeps it quiet",
                PrintableName.of(outer.what), PrintableName.of(inner.what));
    }

    /** One in which the same locks were taken the other way round, and not so that both callers can have them together. */
    private @Nullable Taken opposite(Order order) {
        for (Kind outer : Kind.values()) {
            for (Kind inner : Kind.values()) {
                if (outer.excludes(order.inner.kind) && inner.excludes(order.outer.kind)) {
                    Taken there = seen.get(new Order(new Lock(order.inner.what, outer), new Lock(order.outer.what, inner)));
                    if (there != null) {
                        return there;
                    }
                }
            }
        }
        return null;
    }

    private enum Kind {
        EXCLUSIVE,
        SHARED,
        LIMITED;

        boolean excludes(Kind other) {
            return this == EXCLUSIVE || this != other;
        }
    }

    private record Lock(String what, Kind kind) {

        static Lock of(String name, HoldSettings settings) {
            String template = settings.template();
            return new Lock(template == null ? name : template, settings.limit() > 0 ? Kind.LIMITED
                    : settings.mode() == LockMode.SHARED ? Kind.SHARED : Kind.EXCLUSIVE);
        }
    }

    private record Order(Lock outer, Lock inner) {
    }

    /** Is never thrown: it shows where. */
    private static final class Taken extends Exception {

        private static final long serialVersionUID = 1L;

        Taken(Order order) {
            super("'" + PrintableName.of(order.inner.what) + "' was asked for under '" + PrintableName.of(order.outer.what)
                    + "' by thread " + Thread.currentThread().getName());
        }
    }

    /** Forgets what has not been of use for longest. */
    private static final class Latest<K, V> extends LinkedHashMap<K, V> {

        private static final long serialVersionUID = 1L;

        Latest() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > KEPT;
        }
    }
}
