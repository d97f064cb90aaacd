package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the events that overlap with a period, without looking at all of them. */
final class Overlaps {

    static final Overlaps NONE = new Overlaps();

    private final List<HistoryEvent> events = new ArrayList<>();
    /** The latest end of the events up to here, ordered by their beginnings. */
    private long[] latest = {};

    void add(HistoryEvent event) {
        events.add(event);
    }

    List<HistoryEvent> with(long from, long to) {
        if (latest.length != events.size()) {
            order();
        }
        int low = 0;
        int high = latest.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (latest[middle] > from) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        var found = new ArrayList<HistoryEvent>();
        for (int i = low; i < events.size() && events.get(i).from() < to; i++) {
            if (events.get(i).to() > from) {
                found.add(events.get(i));
            }
        }
        return found;
    }

    private void order() {
        events.sort(Comparator.comparingLong(HistoryEvent::from));
        latest = new long[events.size()];
        long end = Long.MIN_VALUE;
        for (int i = 0; i < latest.length; i++) {
            end = Math.max(end, events.get(i).to());
            latest[i] = end;
        }
    }
}
