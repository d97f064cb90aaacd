package io.quarkiverse.lock.it.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What JVMs did with one name, as the laboratory recorded it: a window of some hundred events around a fault.
 *
 * @param name the lock
 * @param events by time
 */
record Recording(String name, List<Event> events) {

    static final String MODEL = "History";
    static final int WINDOW = 500;

    /**
     * @param kind as in the model {@code History}
     * @param hold the hold that the event belongs to
     * @param value the fencing token of an {@code enter}
     */
    record Event(long at, String kind, String hold, long value) {
    }

    /** A line of a history, see {@code HistoryEvent} of the testkit. */
    private record Line(String kind, String process, String name, String hold, long from, long to, long value) {

        static Line parse(String line) {
            String[] part = line.split(" ", -1);
            return new Line(part[0], part[1], part[2], part[1] + "/" + part[3], Long.parseLong(part[4]),
                    Long.parseLong(part[5]), Long.parseLong(part[6]));
        }
    }

    /** The recordings in the files of a directory: for each name the window that contains the most faults. */
    static Map<String, Recording> in(Path directory) throws IOException {
        Map<String, Recording> recordings = new TreeMap<>();
        try (var files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                List<Line> lines = Files.readAllLines(file).stream().map(Line::parse).toList();
                for (String name : lines.stream().map(Line::name).filter(name -> !name.isEmpty()).distinct().toList()) {
                    recordings.put(file.getFileName() + " " + name, of(name, lines));
                }
            }
        }
        return recordings;
    }

    private static Recording of(String name, List<Line> lines) {
        List<Long> faults = lines.stream().filter(it -> Set.of("FAULT", "PAUSED", "KILLED", "FORCED").contains(it.kind))
                .filter(it -> it.name.isEmpty() || it.name.equals(name)).map(Line::from).toList();
        List<Line> forced = lines.stream().filter(it -> it.kind.equals("FORCED") && it.name.equals(name)).toList();
        Map<String, List<Line>> holds = lines.stream().filter(it -> it.name.equals(name))
                .collect(Collectors.groupingBy(Line::hold, LinkedHashMap::new, Collectors.toList()));
        List<Event> events = new ArrayList<>();
        holds.forEach((hold, all) -> addEvents(hold, all, forced, events));
        events.sort(Comparator.comparingLong(Event::at));
        return new Recording(name, window(events, faults));
    }

    private static void addEvents(String hold, List<Line> all, List<Line> forced, List<Event> events) {
        Map<String, Line> first = new HashMap<>();
        all.forEach(it -> first.merge(it.kind, it, (one, two) -> one.from <= two.from ? one : two));
        Line asked = first.get("INVOKED");
        Line acquired = first.get("ACQUIRED");
        if (asked == null || acquired == null) {
            return; // nothing follows from a request that never learned of a grant
        }
        events.add(new Event(asked.from, "ask", hold, 0));
        events.add(new Event(acquired.to, "enter", hold, acquired.value));
        // Once a forced release has begun, a handle may not know of it yet
        long certain = forced.stream().filter(it -> it.to > asked.from).mapToLong(Line::from).min().orElse(Long.MAX_VALUE);
        all.stream().filter(it -> it.kind.equals("VALID")).mapToLong(Line::from).max().stream()
                .map(last -> Math.min(last, certain)).filter(last -> last > acquired.to)
                .forEach(last -> events.add(new Event(last, "sure", hold, 0)));
        for (String over : List.of("LOST", "INVALID")) {
            if (first.containsKey(over)) {
                events.add(new Event(first.get(over).to, "over", hold, 0));
            }
        }
        Line released = first.get("RELEASED");
        if (released != null) {
            events.add(new Event(released.from, "over", hold, 0));
            if (released.value == 1) {
                events.add(new Event(released.to, "freed", hold, 0));
            }
        }
    }

    /** The holds with an event in the window, each with all its events: omitting whole holds makes no history wrong. */
    private static List<Event> window(List<Event> events, List<Long> faults) {
        int best = 0;
        long most = -1;
        for (int from = 0; from + WINDOW <= events.size(); from += WINDOW / 5) {
            long begin = events.get(from).at;
            long end = events.get(from + WINDOW - 1).at;
            long within = faults.stream().filter(at -> at > begin && at < end).count();
            if (within > most) {
                most = within;
                best = from;
            }
        }
        Set<String> holds = events.subList(best, Math.min(best + WINDOW, events.size())).stream().map(Event::hold)
                .collect(Collectors.toCollection(HashSet::new));
        return events.stream().filter(it -> holds.contains(it.hold)).toList();
    }

    /** The same with other events. */
    Recording with(List<Event> others) {
        return new Recording(name, others.stream().sorted(Comparator.comparingLong(Event::at)).toList());
    }

    /** The module {@code Recorded} that the model reads. */
    String module() {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        Map<String, Long> tokens = new HashMap<>();
        Set<String> sure = new HashSet<>();
        for (Event event : events) {
            numbers.putIfAbsent(event.hold, numbers.size() + 1);
            if (event.kind.equals("enter")) {
                tokens.put(event.hold, event.value);
            } else if (event.kind.equals("sure")) {
                sure.add(event.hold);
            }
        }
        List<Long> ranks = tokens.values().stream().distinct().sorted().toList(); // TLC counts only up to 2^31
        String fence = numbers.keySet().stream()
                .map(hold -> tokens.containsKey(hold) ? ranks.indexOf(tokens.get(hold)) + 1 : 0).map(String::valueOf)
                .collect(Collectors.joining(", "));
        String order = tokens.keySet().stream()
                .sorted(Comparator.comparing((String hold) -> tokens.get(hold)).thenComparing(numbers::get))
                .map(numbers::get).map(String::valueOf).collect(Collectors.joining(", "));
        String all = events.stream().map(it -> "[k |-> \"" + it.kind + "\", h |-> " + numbers.get(it.hold) + ", sure |-> "
                + (sure.contains(it.hold) ? "TRUE" : "FALSE") + "]").collect(Collectors.joining(",\n  "));
        return "---- MODULE Recorded ----\nEvents == <<\n  " + all + ">>\nFence == <<" + fence + ">>\nOrder == <<" + order
                + ">>\n====\n";
    }
}
