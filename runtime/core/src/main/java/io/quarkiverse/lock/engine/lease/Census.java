package io.quarkiverse.lock.engine.lease;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.LockTime;

/** Who holds and who waits in this JVM. */
public final class Census {

    private final NameTable names;
    private final LockTime time;

    public Census(NameTable names, LockTime time) {
        this.names = names;
        this.time = time;
    }

    /** @param template {@code null} for locks taken through a {@code LockManager} */
    public record Group(String manager, @Nullable String template) {
    }

    /** @param oldestNanos how long the oldest held lock has been held; 0 if there is none */
    public record Count(int held, int waiting, long oldestNanos) {

        /** For a group that is in no census. */
        public static final Count NOBODY = new Count(0, 0, 0);

        /** Both groups together. */
        public Count plus(Count other) {
            return new Count(held + other.held, waiting + other.waiting, Math.max(oldestNanos, other.oldestNanos));
        }

        private Count plusHeld(long nanos) {
            return new Count(held + 1, waiting, Math.max(oldestNanos, nanos));
        }

        private Count plusWaiting() {
            return new Count(held, waiting + 1, oldestNanos);
        }
    }

    /**
     * A caller that holds a lock or waits for it.
     *
     * @param template {@code null} for a lock taken through a {@code LockManager}
     * @param fencingToken 0 for a waiting caller
     * @param nanos how long it has been held, or waited for
     */
    public record Caller(boolean holds, String name, String manager, @Nullable String template, LockMode mode, int limit,
            long fencingToken, long nanos) {
    }

    /**
     * One entry per caller, for people to read: there may be very many. Each name is read separately, so this is no snapshot.
     */
    public List<Caller> callers() {
        List<Caller> callers = new ArrayList<>();
        for (NameQueue queue : names.all()) {
            for (LockHold hold : queue.holds()) {
                callers.add(caller(hold, !hold.onlyTurn()));
            }
            for (LockHold hold : queue.allWaiting()) {
                callers.add(caller(hold, false));
            }
        }
        return callers;
    }

    private Caller caller(LockHold hold, boolean holds) {
        long since = holds ? hold.grantedAt() : hold.requestedAt();
        return new Caller(holds, hold.name(), hold.settings.manager(), hold.settings.template(), hold.settings.mode(),
                hold.settings.limit(), holds ? hold.fencingToken() : 0, Math.max(0, time.nanoTime() - since));
    }

    /**
     * How many callers wait for this name. The backend does not know of those that wait behind an exclusive holder of this JVM,
     * nor of those outside the line that it has not answered yet.
     */
    public int waiting(String name) {
        NameQueue queue = names.ifKnown(name);
        int waiting = queue == null ? 0 : waiting(queue);
        for (NameQueue apart : names.apartOf(name)) {
            waiting += waiting(apart);
        }
        return waiting;
    }

    private int waiting(NameQueue queue) {
        int waiting = queue.allWaiting().size();
        for (LockHold hold : queue.holds()) {
            if (hold.onlyTurn()) {
                waiting++;
            }
        }
        return waiting;
    }

    /** Counts by group, because there may be very many names. Each name is read separately, so this is no snapshot. */
    public Map<Group, Count> take() {
        Map<Group, Count> counts = new HashMap<>();
        for (NameQueue queue : names.all()) {
            for (LockHold hold : queue.holds()) {
                if (hold.onlyTurn()) {
                    counts.compute(group(hold), (group, count) -> orNobody(count).plusWaiting());
                } else {
                    long held = Math.max(0, time.nanoTime() - hold.grantedAt());
                    counts.compute(group(hold), (group, count) -> orNobody(count).plusHeld(held));
                }
            }
            for (LockHold hold : queue.allWaiting()) {
                counts.compute(group(hold), (group, count) -> orNobody(count).plusWaiting());
            }
        }
        return counts;
    }

    private static Group group(LockHold hold) {
        return new Group(hold.settings.manager(), hold.settings.template());
    }

    private static Count orNobody(@Nullable Count count) {
        return count == null ? Count.NOBODY : count;
    }
}
