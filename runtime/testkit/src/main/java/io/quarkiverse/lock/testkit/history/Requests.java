package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An ordered history: the requests of each lock, and what happened to all of them. */
final class Requests {

    private record Key(String process, long hold) {
    }

    final Map<String, List<Request>> byName = new TreeMap<>();
    final List<HistoryEvent> granted = new ArrayList<>();
    private final Map<String, List<HistoryEvent>> forced = new HashMap<>();
    private final Map<String, Overlaps> paused = new HashMap<>();
    final Map<String, List<HistoryEvent>> written = new TreeMap<>();
    final List<HistoryEvent> rejected = new ArrayList<>();
    final List<HistoryEvent> pauses = new ArrayList<>();
    final List<HistoryEvent> faults = new ArrayList<>();
    final Overlaps stalls = new Overlaps();

    Requests(Collection<HistoryEvent> events) {
        Map<Key, Request> requests = new HashMap<>();
        Map<String, Long> killed = new HashMap<>();
        for (HistoryEvent event : events) {
            switch (event.kind()) {
                case INVOKED -> requests.put(new Key(event.process(), event.hold()), new Request(event));
                case GRANTED -> granted.add(event);
                case FORCED -> forced.computeIfAbsent(event.name(), name -> new ArrayList<>()).add(event);
                case PAUSED -> {
                    pauses.add(event);
                    paused.computeIfAbsent(event.process(), process -> new Overlaps()).add(event);
                }
                case KILLED -> killed.put(event.process(), event.to());
                case FAULT -> faults.add(event);
                case STALLED -> { // may have hit the store in the middle of anything
                    stalls.add(event);
                    faults.add(event);
                }
                case WRITTEN -> written.computeIfAbsent(event.name(), name -> new ArrayList<>()).add(event);
                case REJECTED -> rejected.add(event);
                default -> {
                }
            }
        }
        for (HistoryEvent event : events) {
            Request request = requests.get(new Key(event.process(), event.hold()));
            if (request != null && event.kind() != HistoryEvent.Kind.INVOKED) {
                request.add(event);
            }
        }
        Map<String, Forces> forces = new HashMap<>();
        forced.forEach((name, all) -> forces.put(name, new Forces(all)));
        for (Request request : requests.values()) {
            request.killedAt = killed.getOrDefault(request.invoked.process(), Long.MAX_VALUE);
            Forces force = forces.get(request.invoked.name());
            if (force != null) {
                request.certainUntil = force.firstEndingAfter(request.invoked.from());
                request.takenBy = force.firstTakenAfter(request.certainFrom());
            }
            byName.computeIfAbsent(request.invoked.name(), name -> new ArrayList<>()).add(request);
        }
    }

    Overlaps paused(String process) {
        return paused.getOrDefault(process, Overlaps.NONE);
    }

    /** When somebody took a lock by force, ordered by the ends. */
    private static final class Forces {

        private final List<HistoryEvent> byEnd;
        private final long[] earliest;
        private final TreeMap<Long, Long> takenBy = new TreeMap<>();

        Forces(List<HistoryEvent> forces) {
            byEnd = forces.stream().sorted(Comparator.comparingLong(HistoryEvent::to)).toList();
            earliest = new long[byEnd.size()];
            long from = Long.MAX_VALUE;
            for (int i = earliest.length - 1; i >= 0; i--) {
                from = Math.min(from, byEnd.get(i).from());
                earliest[i] = from;
            }
            for (HistoryEvent each : forces) {
                if (each.value() == 1) {
                    takenBy.merge(each.from(), each.to(), Math::min);
                }
            }
        }

        /** The end of the first that began after {@code time} and certainly took the lock; {@link Long#MAX_VALUE} for never. */
        long firstTakenAfter(long time) {
            var taken = takenBy.higherEntry(time);
            return taken == null ? Long.MAX_VALUE : taken.getValue();
        }

        /** The earliest beginning of those that end after {@code time}; {@link Long#MAX_VALUE} for never. */
        long firstEndingAfter(long time) {
            int low = 0;
            int high = earliest.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (byEnd.get(middle).to() > time) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low == earliest.length ? Long.MAX_VALUE : earliest[low];
        }
    }
}
