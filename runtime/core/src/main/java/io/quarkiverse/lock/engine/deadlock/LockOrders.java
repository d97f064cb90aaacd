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
 * Warns of locks that are taken in opposite orders anywhere in this JVM, before two callers actually meet. For development and
 * tests: it examines each lock that is asked for under another one.
 * <p>
 * A lock is identified by its template, or by its name if it has none. A caller that only tries, and does not wait, blocks
 * nobody.
 */
public final class LockOrders {

    private static final Logger LOG = Logger.getLogger(LockOrders.class);
    private static final int KEPT = 512;
    /** How many names of one call, and how many holds around it, are looked at: thousands would displace all that was seen. */
    private static final int LOOKED_AT = 16;

    private final ReentrantLock guard = new ReentrantLock();
    /** Where each order was seen first. Guarded. */
    private final Map<Order, Taken> seen = new Latest<>();
    /** The pairs already warned about. Guarded. */
    private final Map<Set<String>, Boolean> told = new Latest<>();
    /** For each engine, the holds that code on the current thread runs under. */
    private final List<Supplier<List<LockHold>>> scopes = new CopyOnWriteArrayList<>();
    /** What the current thread has taken and not yet given back, whether bound to a scope, a transaction or a handle. */
    private final ThreadLocal<List<LockHold>> own = ThreadLocal.withInitial(ArrayList::new);

    /** @param holds those that code on the current thread runs under */
    public void seeing(Supplier<List<LockHold>> holds) {
        scopes.add(holds);
    }

    /** The current thread has taken a lock. */
    public void taken(LockHold hold) {
        own.get().add(hold);
    }

    /** Those of these holds that the current thread has taken belong to a stage from now on: the thread moves on. */
    public void outliveThread(Held held) {
        List<LockHold> mine = ownNow();
        for (int i = 0; i < held.size(); i++) {
            mine.remove(held.get(i));
        }
    }

    /**
     * The current thread is about to ask for a lock.
     *
     * @param around the holds of the pipelines in which it asks
     * @param before how many names come before it in the same call: of many, only the first are looked at
     */
    public void asked(String name, HoldSettings wanted, List<LockHold> around, int before) {
        if (before >= LOOKED_AT) {
            return;
        }
        List<LockHold> mine = ownNow();
        if (wanted.waitNanos() == 0 || has(mine, name) || has(around, name)) {
            return;
        }
        note(mine, name, wanted);
        note(around, name, wanted);
        for (int i = 0; i < scopes.size(); i++) {
            note(scopes.get(i).get(), name, wanted);
        }
    }

    /** {@link #asked(String, HoldSettings, List, int)}, for each name of a call. */
    public void asked(String[] names, HoldSettings wanted, List<LockHold> around) {
        for (int i = 0; i < names.length; i++) {
            asked(names[i], wanted, around, i);
        }
    }

    /** Without those that have been given back, which nothing else removes. */
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
                return true; // it continues with that one
            }
        }
        return false;
    }

    private void note(List<LockHold> outer, String name, HoldSettings wanted) {
        for (int i = Math.max(0, outer.size() - LOOKED_AT); i < outer.size(); i++) { // the newest
            LockHold hold = outer.get(i);
            if (hold.live()) {
                note(Lock.of(hold.name(), hold.settings), Lock.of(name, wanted));
            }
        }
    }

    private void note(Lock outer, Lock inner) {
        if (outer.what.equals(inner.what)) {
            return; // locks of the same template have no order
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
        LOG.warnf(there, "Locks '%s' and '%s' are taken in opposite orders: two callers that do so at the same time wait for "
                + "each other until one of them gives up. Take them in the same order everywhere, or both at once "
                + "(@Locked with both names, LockManager.all). The stack traces show where each order was seen first. This is "
                + "logged once for each pair, in development and tests; quarkus.lock.deadlock-detection=false silences it",
                PrintableName.of(outer.what), PrintableName.of(inner.what));
    }

    /** An earlier order in which the same locks were taken the other way round, unless both callers can hold them together. */
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

    /** Never thrown: its stack trace shows where. */
    private static final class Taken extends Exception {

        private static final long serialVersionUID = 1L;

        Taken(Order order) {
            super("'" + PrintableName.of(order.inner.what) + "' was requested under '" + PrintableName.of(order.outer.what)
                    + "' by thread " + Thread.currentThread().getName());
        }
    }

    /** Forgets the least recently used entries. */
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
