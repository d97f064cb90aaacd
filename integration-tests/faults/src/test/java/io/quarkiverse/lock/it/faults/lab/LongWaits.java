package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.history.Cause;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.history.HistoryEvent.Kind;

/**
 * The requests that were ready to wait long enough to get their lock, while the store was disturbed. Requests that their
 * callers gave up are excluded.
 *
 * @param granted how many got it
 * @param excused how many did not, in a JVM that was in trouble itself, or while such a JVM had the lock
 * @param inVain the others, human-readable
 */
record LongWaits(int granted, int excused, List<String> inVain) {

    static final LongWaits NONE = new LongWaits(0, 0, List.of());

    private record Key(String process, long hold) {
    }

    /** A JVM that can do nothing about its locks, and for how long. */
    private record Trouble(String process, long from, long to) {

        boolean meets(long begin, long end) {
            return from < end && to > begin;
        }
    }

    /**
     * @param enough how long a request has to be ready to wait, on a machine that runs
     * @param lease how long a JVM in trouble continues to have its locks
     * @param until requests with a later deadline are ignored
     */
    static LongWaits of(Collection<HistoryEvent> events, List<LabNemesis.Done> done, Duration enough, Duration lease,
            long until) {
        Map<Key, HistoryEvent> answers = new HashMap<>();
        Map<String, List<HistoryEvent>> granted = new HashMap<>();
        Map<Key, Long> released = new HashMap<>();
        for (HistoryEvent each : events) {
            var key = new Key(each.process(), each.hold());
            switch (each.kind()) {
                case ACQUIRED -> {
                    answers.put(key, each);
                    granted.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(each);
                }
                case REFUSED -> answers.put(key, each);
                case RELEASED -> released.put(key, each.to());
                default -> {
                }
            }
        }
        List<Trouble> troubles = done.stream().filter(LabNemesis.Done::troubles)
                .map(each -> new Trouble(each.process(), each.from(), each.to())).toList();
        List<HistoryEvent> stalls = events.stream().filter(each -> each.kind() == Kind.STALLED).toList();
        int had = 0;
        int excused = 0;
        List<String> inVain = new ArrayList<>();
        for (HistoryEvent each : events) {
            if (each.kind() != Kind.INVOKED || each.to() - each.from() - stalled(each, stalls) < enough.toNanos()
                    || each.to() > until) {
                continue;
            }
            HistoryEvent answer = answers.get(new Key(each.process(), each.hold()));
            if (answer != null && answer.kind() == Kind.ACQUIRED) {
                had++;
            } else if (answer != null && refused(answer)) {
                if (troubles.stream().anyMatch(trouble -> excuses(trouble, each, answer, lease.toNanos(),
                        granted.getOrDefault(each.name(), List.of()), released))) {
                    excused++;
                } else {
                    inVain.add(each + ", " + answer);
                }
            }
        }
        return new LongWaits(had, excused, inVain);
    }

    private static long stalled(HistoryEvent asked, List<HistoryEvent> stalls) {
        return stalls.stream().mapToLong(each -> Math.max(0,
                Math.min(each.to(), asked.to()) - Math.max(each.from(), asked.from()))).sum();
    }

    private static boolean refused(HistoryEvent answer) {
        Cause cause = Cause.values()[(int) answer.value()];
        return cause == Cause.BUSY || cause == Cause.BACKEND;
    }

    private static boolean excuses(Trouble trouble, HistoryEvent asked, HistoryEvent answer, long lease,
            List<HistoryEvent> granted, Map<Key, Long> released) {
        if (trouble.process.equals(asked.process())) {
            return trouble.meets(asked.from(), answer.to());
        }
        return new Trouble(trouble.process, trouble.from, trouble.to + lease).meets(asked.from(), answer.to())
                && granted.stream().anyMatch(each -> each.process().equals(trouble.process)
                        && trouble.meets(each.from(), end(released.get(new Key(each.process(), each.hold())))));
    }

    private static long end(@Nullable Long released) {
        return released == null ? Long.MAX_VALUE : released;
    }
}
