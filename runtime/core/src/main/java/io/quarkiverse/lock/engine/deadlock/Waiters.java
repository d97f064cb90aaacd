package io.quarkiverse.lock.engine.deadlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.deadlock.LongWaits.Waiter;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Claim;

/** The callers of this JVM that have waited for long: by what they wait for, and by what they hold. */
final class Waiters {

    /** The most names searched for handles. */
    private static final int MOST_NAMES = 1000;
    private static final int MOST_IN_A_NOTE = 8;

    private final Map<Thread, Waiter> byThread = new ConcurrentHashMap<>();
    private final Map<LockHold, List<Waiter>> owners = new ConcurrentHashMap<>();
    private final Map<NameQueue, List<Waiter>> byQueue = new ConcurrentHashMap<>();

    void add(Waiter waiter) {
        if (waiter.thread != null) {
            byThread.put(waiter.thread, waiter);
        }
        for (LockHold owned : waiter.owned) {
            owners.merge(owned, List.of(waiter), Waiters::both);
        }
        byQueue.merge(waiter.hold.queue, List.of(waiter), Waiters::both);
    }

    private static <T> List<T> both(List<T> some, List<T> more) {
        List<T> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    void remove(Waiter waiter) {
        if (waiter.thread != null) {
            byThread.remove(waiter.thread, waiter);
        }
        for (LockHold each : waiter.owned) {
            owners.computeIfPresent(each, (hold, waiters) -> without(waiters, waiter));
        }
        byQueue.computeIfPresent(waiter.hold.queue, (queue, waiters) -> without(waiters, waiter));
    }

    private static @Nullable List<Waiter> without(List<Waiter> waiters, Waiter gone) {
        List<Waiter> others = waiters.stream().filter(other -> other != gone).toList();
        return others.isEmpty() ? null : others;
    }

    int size() {
        return Math.max(Math.max(byThread.size(), owners.size()), byQueue.size());
    }

    /** The waiters inside this hold's scope: all of them must continue before it ends. */
    List<Waiter> in(LockHold hold) {
        return owners.getOrDefault(hold, List.of());
    }

    /** The waiter whose thread has taken it. */
    @Nullable
    Waiter taker(LockHold hold) {
        Thread thread = hold.caller();
        return thread == null ? null : byThread.get(thread);
    }

    /** The holds that must end before this one can be granted; empty if there are none, or they are not known. */
    static List<LockHold> inTheWayOf(LockHold waiting, long now) {
        NameQueue queue = waiting.queue;
        List<LockHold> all = new ArrayList<>();
        queue.lock();
        try {
            if (!waiting.waiting()) {
                return List.of();
            }
            for (Lease lease = queue.lease(); lease != null; lease = lease.next()) {
                if (lease.deadline() - now <= 0) {
                    return List.of(); // it is lost, and any waiter may be next
                }
                for (LockHold hold : lease.presentHolders()) {
                    if (hold.settings.goesWith(waiting.settings) || hold.settings.limit() > 0
                            || !hold.settings.keptAlive() // its lease may end first
                            || !hold.live() || hold.inDoubt()) {
                        return List.of();
                    }
                    all.add(hold);
                }
            }
        } finally {
            queue.unlock();
        }
        return all;
    }

    // --- for other JVMs

    /** The claim with which it waits at the store; {@code null} if what it waits for is in this JVM, or has a limit. */
    @Nullable
    static Claim claimOf(Waiter waiter) {
        NameQueue queue = waiter.hold.queue;
        queue.lock();
        try {
            ClaimAttempt attempt = queue.attempt;
            return attempt != null && waiter.hold.waiting() && attempt.claim.waits() && attempt.claim.limit() == 0
                    && waiter.hold.settings.limit() == 0 && attempt.claim.mode() == waiter.hold.settings.mode()
                            ? attempt.claim
                            : null;
        } finally {
            queue.unlock();
        }
    }

    /** The holds its thread has taken besides its scopes. */
    static List<LockHold> handlesOf(Waiter waiter, Collection<NameQueue> names) {
        Thread thread = waiter.thread;
        List<LockHold> handles = new ArrayList<>();
        if (thread != null && names.size() <= MOST_NAMES) {
            for (NameQueue queue : names) {
                for (LockHold hold : queue.holds()) {
                    if (hold.caller() == thread && hold.live() && !waiter.owned.contains(hold)) {
                        handles.add(hold);
                    }
                }
            }
        }
        return handles;
    }

    /** All callers that wait with this claim and hold something meanwhile, this one first. */
    List<WaitNote.Caller> with(Claim claim, Waiter waiter) {
        Set<Waiter> together = new LinkedHashSet<>(List.of(waiter));
        together.addAll(byQueue.getOrDefault(waiter.hold.queue, List.of()));
        List<WaitNote.Caller> callers = new ArrayList<>();
        together.stream().filter(Waiter::ownsSomething).limit(MOST_IN_A_NOTE).filter(each -> claimOf(each) == claim)
                .forEach(each -> {
                    List<WaitNote.Owned> owned = ownedBy(each);
                    if (!owned.isEmpty()) {
                        callers.add(new WaitNote.Caller(each.number, each.seenFar(),
                                TimeUnit.NANOSECONDS.toMillis(each.hold.settings.waitNanos()), each.hold.settings.mode(),
                                each.who, owned));
                    }
                });
        return callers;
    }

    /**
     * The grants that do not end before this waiter continues: its own, and those of callers in this JVM that wait for them.
     * Includes only grants of the same store that end together with a single hold: other JVMs see grants, but not holds.
     */
    List<WaitNote.Owned> ownedBy(Waiter waiter) {
        List<WaitNote.Owned> all = new ArrayList<>();
        collect(waiter, waiter, true, new LinkedHashSet<>(), all);
        return all;
    }

    private void collect(Waiter waiter, Waiter first, boolean sure, Set<Waiter> visited, List<WaitNote.Owned> all) {
        if (!visited.add(waiter)) {
            return;
        }
        // All of its own first: there may not be room for everything
        Map<LockHold, Boolean> own = new LinkedHashMap<>();
        for (LockHold hold : waiter.owned) {
            if (in(hold).equals(List.of(waiter))) { // else another branch of the same body may continue
                add(hold, first, sure, own, all);
            }
        }
        for (LockHold hold : waiter.handles()) {
            add(hold, first, false, own, all);
        }
        own.forEach((hold, surely) -> {
            long now = first.time.nanoTime();
            for (Waiter behind : byQueue.getOrDefault(hold.queue, List.of())) {
                if (behind.ownsSomething() && inTheWayOf(behind.hold, now).equals(List.of(hold))) {
                    collect(behind, first, surely, visited, all);
                }
            }
        });
    }

    private static void add(LockHold hold, Waiter first, boolean sure, Map<LockHold, Boolean> own,
            List<WaitNote.Owned> all) {
        Lease lease = hold.queue.rules == first.hold.queue.rules ? soleLease(hold, first.time.nanoTime()) : null;
        if (lease != null) {
            all.add(new WaitNote.Owned(hold.name(), lease.grant.fence(), sure));
            own.put(hold, sure);
        }
    }

    /** The grant that ends with this hold, and with nothing else; {@code null} if there is none. */
    private static @Nullable Lease soleLease(LockHold hold, long now) {
        NameQueue queue = hold.queue;
        queue.lock();
        try {
            Lease lease = hold.live() ? hold.lease() : null;
            return lease != null && queue.has(lease) && lease.deadline() - now > 0 && hold.settings.limit() == 0
                    && hold.settings.keptAlive() && !hold.inDoubt() && lease.presentHolders().equals(List.of(hold)) ? lease
                            : null;
        } finally {
            queue.unlock();
        }
    }
}
