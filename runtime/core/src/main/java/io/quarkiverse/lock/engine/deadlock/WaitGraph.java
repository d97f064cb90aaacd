package io.quarkiverse.lock.engine.deadlock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.deadlock.WaitNote.Owned;
import io.quarkiverse.lock.spi.WaitNotes;

/**
 * Who waits for whom, according to the store: the same for every JVM that reads the same. A caller counts as blocked only if
 * all holders of the name it waits for are blocked too, and none of them could hold the name beside it.
 */
final class WaitGraph {

    /** The first in this order makes way: the one with the shortest wait, and of several the last to arrive. */
    private static final Comparator<Caller> ORDER = Comparator.<Caller> comparingLong(caller -> caller.waits().waitMillis())
            .thenComparing(Caller::since, Comparator.reverseOrder())
            .thenComparing(Caller::token, Comparator.reverseOrder())
            .thenComparing(caller -> caller.waits().number(), Comparator.reverseOrder());

    private final List<Caller> blocked;
    private final Map<String, WaitNotes.Line> lines;
    private final Map<Held, List<Caller>> owners = new HashMap<>();

    /**
     * @param name what it waits for
     * @param token the token of the claim with which it waits
     */
    record Caller(String name, String token, long since, @Nullable String owner, WaitNote.Caller waits) {

        /** Identifies this wait in every JVM. */
        String id() {
            return token + '#' + waits.number();
        }

        String who() {
            return owner == null ? waits.who() : waits.who() + " of " + owner;
        }
    }

    private record Held(String name, long fence) {
    }

    /**
     * Callers that all wait for each other.
     *
     * @param sure whether none of them can continue unless one gives up
     */
    record Circle(List<Caller> callers, boolean sure, String description) {

        Caller leaving() {
            return callers.stream().min(ORDER).orElseThrow();
        }
    }

    /** @param lines the lines of the names they wait for */
    WaitGraph(List<Caller> callers, Map<String, WaitNotes.Line> lines) {
        this.lines = lines;
        this.blocked = new ArrayList<>(callers);
        for (Caller caller : callers) {
            for (Owned each : caller.waits().owned()) {
                owners.computeIfAbsent(new Held(each.name(), each.fence()), held -> new ArrayList<>()).add(caller);
            }
        }
        while (blocked.removeIf(caller -> !isBlocked(caller))) {
            // a caller that waits for an unblocked one is not blocked either
        }
    }

    private boolean isBlocked(Caller caller) {
        WaitNotes.Line line = lines.get(caller.name());
        if (line == null || line.holders().isEmpty()) {
            return false;
        }
        for (WaitNotes.Holder holder : line.holders()) {
            if (holder.limit() > 0 || holder.mode() == LockMode.SHARED && caller.waits().mode() == LockMode.SHARED) {
                return false;
            }
            List<Caller> in = owners.getOrDefault(new Held(caller.name(), holder.fence()), List.of());
            if (in.isEmpty() || !blocked.containsAll(in)) {
                return false;
            }
        }
        return true;
    }

    private List<Caller> inTheWayOf(Caller caller) {
        List<Caller> all = new ArrayList<>();
        for (WaitNotes.Holder holder : lines.get(caller.name()).holders()) {
            all.addAll(owners.get(new Held(caller.name(), holder.fence())));
        }
        return all;
    }

    /** The largest circle that contains this caller; {@code null} if there is none, or it only waits for one. */
    @Nullable
    Circle around(Caller start) {
        if (!blocked.contains(start)) {
            return null;
        }
        List<Caller> members = new ArrayList<>();
        for (Caller each : reachedFrom(start)) {
            if (reachedFrom(each).contains(start)) {
                members.add(each);
            }
        }
        if (members.size() < 2) {
            return null; // it may wait for a Java lock of its own, or for a lost one: its JVM reports that
        }
        return new Circle(members, members.stream().allMatch(each -> surelyBlocks(each, members)), describe(start, members));
    }

    /** Excludes {@code start}, unless the path comes round. */
    private Set<Caller> reachedFrom(Caller start) {
        Set<Caller> reached = new LinkedHashSet<>();
        Deque<Caller> toLookAt = new ArrayDeque<>(List.of(start));
        while (!toLookAt.isEmpty()) {
            for (Caller next : inTheWayOf(toLookAt.poll())) {
                if (reached.add(next)) {
                    toLookAt.add(next);
                }
            }
        }
        return reached;
    }

    /** Whether nobody else can give back those of its holds that the others wait for. */
    private static boolean surelyBlocks(Caller holder, List<Caller> members) {
        return holder.waits().owned().stream()
                .allMatch(each -> each.sure() || members.stream().noneMatch(waiting -> waiting.name().equals(each.name())));
    }

    /** Describes one way round, starting anywhere. */
    private String describe(Caller start, List<Caller> members) {
        List<Caller> way = new ArrayList<>();
        Caller at = start;
        while (!way.contains(at)) {
            way.add(at);
            at = inTheWayOf(at).stream().filter(members::contains).findFirst().orElseThrow();
        }
        return CircleText.of(way.subList(way.indexOf(at), way.size()), Caller::who, Caller::name);
    }
}
