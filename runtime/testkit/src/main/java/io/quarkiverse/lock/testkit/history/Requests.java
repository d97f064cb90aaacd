package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A history put in order: the requests of each lock, and what happened to all of them. */
final class Requests {

    private record Key(String process, long hold) {
    }

    final Map<String, List<Request>> byName = new TreeMap<>();
    final List<HistoryEvent> granted = new ArrayList<>();
    private final Map<String, List<HistoryEvent>> forced = new HashMap<>();
    private final Map<String, List<HistoryEvent>> paused = new HashMap<>();
    final List<HistoryEvent> pauses = new ArrayList<>();
    final List<HistoryEvent> faults = new ArrayList<>();

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
                    paused.computeIfAbsent(event.process(), process -> new ArrayList<>()).add(event);
                }
                case KILLED -> killed.put(event.process(), event.to());
                case FAULT -> faults.add(event);
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
        for (Request request : requests.values()) {
            request.killedAt = killed.getOrDefault(request.invoked.process(), Long.MAX_VALUE);
            for (HistoryEvent force : forced(request.invoked.name())) {
                if (request.invoked.from() < force.to()) {
                    request.certainUntil = Math.min(request.certainUntil, force.from());
                }
            }
            byName.computeIfAbsent(request.invoked.name(), name -> new ArrayList<>()).add(request);
        }
    }

    List<HistoryEvent> forced(String name) {
        return forced.getOrDefault(name, List.of());
    }

    List<HistoryEvent> paused(String process) {
        return paused.getOrDefault(process, List.of());
    }
}
