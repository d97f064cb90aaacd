package io.quarkiverse.lock.engine.deadlock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.spi.LockTime;

/**
 * The callers of this JVM that have waited for long, with what they hold meanwhile. Finds those that wait for each other, and
 * sends one of them away: the one with the shortest wait, and the youngest of several.
 * <p>
 * No caller is sent away that might have got its lock while all of them waited. A wait counts only if everything in its way is
 * held by callers that are themselves in the circle, or wait for it. If the store might let it in beside a holder (a limit), or
 * if holders are not known here, that cannot be told. The whole circle is examined twice and must be the same both times. A
 * hold ends only once, and so does a wait. So whatever was there at both looks was there all the time between them: at some
 * moment, the whole circle existed.
 * <p>
 * Anybody may give back a bare handle, so a circle that contains one is only reported. Only its own thread can unlock a Java
 * lock, so that one counts like a scope.
 */
public final class LongWaits {

    private static final Logger LOG = Logger.getLogger(LongWaits.class);

    /** Waits that have lasted this long are examined. */
    public static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Waiters waiters = new Waiters();
    private final AtomicLong made = new AtomicLong();
    /** For each engine, the holds that end only if the current thread continues. */
    private final List<Supplier<List<LockHold>>> kept = new CopyOnWriteArrayList<>();
    /** Only one thread decides at a time: a caller that one has sent away no longer waits when the next decides. */
    private final ReentrantLock deciding = new ReentrantLock();

    /** @param holds those that end only if the current thread continues: it is in their scopes, or must unlock them */
    public void seeing(Supplier<List<LockHold>> holds) {
        kept.add(holds);
    }

    /**
     * The current thread has waited for long.
     *
     * @param soFar the holds already taken in the same call
     * @param sendAway ends the wait without notifying anybody yet; {@code false} if it has already ended
     * @param far finds circles across JVMs, if the engine's store allows that
     * @return the waiter, whose {@link Waiter#over} must be called when the wait is over
     */
    public Waiter thread(LockHold hold, @Nullable Holds soFar, LockTime time, Predicate<Refusal> sendAway,
            @Nullable FarWaits far) {
        List<LockHold> owned = new ArrayList<>();
        for (int i = 0; soFar != null && i < soFar.size(); i++) {
            owned.add(soFar.get(i));
        }
        kept.forEach(each -> owned.addAll(each.get()));
        Thread thread = Thread.currentThread();
        return begin(new Waiter(hold, owned, thread, "thread " + thread.getName(), time, sendAway), far);
    }

    /** Like {@link #thread}, for a caller without a thread that has waited for long. */
    public Waiter pipeline(LockHold hold, List<LockHold> owned, LockTime time, Predicate<Refusal> sendAway,
            @Nullable FarWaits far) {
        return begin(new Waiter(hold, owned, null, "a pipeline", time, sendAway), far);
    }

    private Waiter begin(Waiter waiter, @Nullable FarWaits far) {
        waiters.add(waiter);
        try {
            List<Edge> circle = circle(waiter);
            if (circle != null) {
                waiter.lookAgain(circle);
            }
        } catch (RuntimeException e) {
            waiter.over(); // it waits as it would without detection
            LOG.debug("A wait was not checked for deadlocks", e);
        }
        if (far != null) {
            waiter.followedBy(far);
        }
        return waiter;
    }

    /** The callers of this JVM that have waited for long. */
    Waiters waiters() {
        return waiters;
    }

    /** How many wait now, for tests. */
    public int size() {
        return waiters.size();
    }

    // --- circles

    /** A caller that waits for what another one has; the hold in the way ends when that one continues. */
    private record Edge(Waiter from, LockHold inTheWay, Waiter to, boolean sure) {
    }

    /**
     * The circle that {@code start} leads to, if only callers reached this way are in the way; {@code null} if nobody can tell.
     */
    private @Nullable List<Edge> circle(Waiter start) {
        Map<Waiter, Edge> first = new LinkedHashMap<>();
        Deque<Waiter> toLookAt = new ArrayDeque<>(List.of(start));
        boolean sure = true;
        while (!toLookAt.isEmpty()) {
            Waiter waiter = toLookAt.poll();
            if (first.containsKey(waiter)) {
                continue;
            }
            List<LockHold> inTheWay = Waiters.inTheWayOf(waiter.hold, waiter.time.nanoTime());
            if (inTheWay.isEmpty()) {
                return null;
            }
            for (LockHold hold : inTheWay) {
                List<Waiter> structured = waiters.in(hold);
                Waiter taker = structured.isEmpty() ? waiters.taker(hold) : null;
                if (structured.isEmpty() && taker == null) {
                    return null;
                }
                sure &= taker == null;
                List<Waiter> to = taker == null ? structured : List.of(taker);
                first.putIfAbsent(waiter, new Edge(waiter, hold, to.get(0), false));
                toLookAt.addAll(to);
            }
        }
        return along(first, start, sure);
    }

    /** Each edge leads to another, so the path comes round. */
    private static List<Edge> along(Map<Waiter, Edge> edges, Waiter start, boolean sure) {
        Map<Waiter, Integer> position = new HashMap<>();
        List<Edge> way = new ArrayList<>();
        Waiter at = start;
        while (position.putIfAbsent(at, way.size()) == null) {
            Edge edge = edges.get(at);
            way.add(edge);
            at = edge.to;
        }
        List<Edge> circle = way.subList(position.get(at), way.size());
        boolean known = sure && circle.size() > 1; // a caller that waits for its own Java lock or handle is only told
        return circle.stream().map(each -> new Edge(each.from, each.inTheWay, each.to, known)).toList();
    }

    // --- handling them

    private void decide(Waiter looking, @Nullable List<Edge> before) {
        Waiter sentAway = null;
        List<Edge> now;
        deciding.lock();
        try {
            now = circle(looking);
            if (now == null || !now.equals(before)) {
                looking.lookAgain(now);
                return;
            }
            if (now.get(0).sure) {
                looking.lookAgain(null);
                now.forEach(edge -> edge.from.lookAgain(null)); // they may also be in another circle
                sentAway = sendOneAway(now);
            } else if (!isNews(looking, now)) {
                return;
            }
        } finally {
            deciding.unlock();
        }
        if (sentAway != null) {
            sentAway.hold.tellWaiter();
            LOG.warnf("Deadlock: callers waited for each other, and the call of %s failed: %s", sentAway.who, describe(now));
        } else if (!now.get(0).sure) {
            LOG.warnf("Callers seem to wait for each other: %s. That ends when the wait of one of them does, unless somebody "
                    + "releases a handle first. Take the locks in the same order everywhere, or all at once (LockManager.all)",
                    describe(now));
        }
    }

    /** Whether the caller is in the circle, and the circle has not been reported. */
    private static boolean isNews(Waiter looking, List<Edge> circle) {
        if (circle.stream().noneMatch(edge -> edge.from == looking) || circle.stream().allMatch(edge -> edge.from.toldOf)) {
            return false;
        }
        circle.forEach(edge -> edge.from.toldOf = true);
        return true;
    }

    /** The caller to notify; {@code null} if its wait has just ended. */
    private static @Nullable Waiter sendOneAway(List<Edge> circle) {
        Waiter leaving = circle.get(0).from;
        for (Edge edge : circle) {
            if (edge.from.leavesBefore(leaving)) {
                leaving = edge.from;
            }
        }
        return leaving.sendAway.test(CircleText.refusal(leaving.hold.name(), "callers", describe(circle))) ? leaving : null;
    }

    private static String describe(List<Edge> circle) {
        return CircleText.of(circle, edge -> edge.from.who, edge -> edge.inTheWay.name());
    }

    /** A caller that has waited for long. */
    public final class Waiter {

        final LockHold hold;
        /** The holds it does not give back while it waits. */
        final List<LockHold> owned;
        final @Nullable Thread thread;
        final String who;
        final LockTime time;
        private final Predicate<Refusal> sendAway;
        private final long since;
        final long number = made.incrementAndGet();
        private volatile FarWaits.@Nullable Follower follower;
        private volatile List<LockHold> handles = List.of();
        private volatile LockTime.@Nullable Timer again;
        private volatile boolean over;
        /** Whether a circle that contains it has been reported. Guarded by {@link #deciding}. */
        private boolean toldOf;

        private Waiter(LockHold hold, List<LockHold> owned, @Nullable Thread thread, String who, LockTime time,
                Predicate<Refusal> sendAway) {
            this.hold = hold;
            this.owned = owned.stream().distinct().toList();
            this.thread = thread;
            this.who = who;
            this.time = time;
            this.sendAway = sendAway;
            this.since = hold.requestedAt();
        }

        /** The caller with the shortest wait leaves first, so that those that wait longer get the lock as they would have. */
        private boolean leavesBefore(Waiter other) {
            long wait = hold.settings.waitNanos();
            long theirs = other.hold.settings.waitNanos();
            return wait != theirs ? wait < theirs : isYoungerThan(other);
        }

        private boolean isYoungerThan(Waiter other) {
            return since != other.since ? since - other.since > 0 : number > other.number;
        }

        private void lookAgain(@Nullable List<Edge> circle) {
            LockTime.Timer before = again;
            if (before != null) {
                before.cancel();
            }
            again = time.schedule(AGAIN_NANOS, () -> decide(this, circle));
            if (over) {
                again.cancel();
            }
        }

        private void followedBy(FarWaits far) {
            FarWaits.Follower begun = far.follow(this);
            if (!ownsSomething()) {
                return; // nobody waits for it while it waits
            }
            follower = begun;
            if (over) {
                begun.over();
            }
            begun.look();
        }

        /** The locks it has taken besides its scopes, as far as the search went. */
        List<LockHold> handles() {
            return handles;
        }

        /** Whether it owns anything; it takes nothing more while it waits. */
        boolean ownsSomething() {
            return !owned.isEmpty() || !handles.isEmpty();
        }

        void handles(List<LockHold> found) {
            handles = found;
        }

        /** How often it has found itself in a circle of several JVMs. */
        long seenFar() {
            FarWaits.Follower begun = follower;
            return begun == null ? 0 : begun.seen();
        }

        /** Ends its wait; {@code false} if that has just ended. */
        boolean leave(Refusal why) {
            boolean left = sendAway.test(why);
            if (left) {
                hold.tellWaiter();
            }
            return left;
        }

        /** Its wait is over. */
        public void over() {
            over = true;
            waiters.remove(this);
            FarWaits.Follower begun = follower;
            if (begun != null) {
                begun.over();
            }
            LockTime.Timer timer = again;
            if (timer != null) {
                timer.cancel();
            }
        }
    }
}
