package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Periods that may overlap, merged. */
final class Spans {

    record Span(long from, long to) {
    }

    private final List<Span> spans = new ArrayList<>();
    private boolean merged = true;

    void add(long from, long to) {
        if (from < to) {
            spans.add(new Span(from, to));
            merged = false;
        }
    }

    private List<Span> merged() {
        if (!merged) {
            spans.sort(Comparator.comparingLong(Span::from));
            var result = new ArrayList<Span>();
            for (Span each : spans) {
                Span last = result.isEmpty() ? null : result.get(result.size() - 1);
                if (last != null && each.from() <= last.to()) {
                    result.set(result.size() - 1, new Span(last.from(), Math.max(last.to(), each.to())));
                } else {
                    result.add(each);
                }
            }
            spans.clear();
            spans.addAll(result);
            merged = true;
        }
        return spans;
    }

    /** The gaps between them. */
    List<Span> gaps(long from, long to) {
        var gaps = new ArrayList<Span>();
        long at = from;
        for (Span each : merged()) {
            if (each.from() > at) {
                gaps.add(new Span(at, Math.min(each.from(), to)));
            }
            at = Math.max(at, each.to());
        }
        if (at < to) {
            gaps.add(new Span(at, to));
        }
        gaps.removeIf(gap -> gap.from() >= gap.to());
        return gaps;
    }

    /** How much of the span they cover. */
    long within(Span span) {
        long sum = 0;
        List<Span> all = merged();
        for (int i = firstEndingAfter(all, span.from()); i < all.size() && all.get(i).from() < span.to(); i++) {
            sum += Math.min(all.get(i).to(), span.to()) - Math.max(all.get(i).from(), span.from());
        }
        return sum;
    }

    private static int firstEndingAfter(List<Span> all, long time) {
        int low = 0;
        int high = all.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all.get(middle).to() > time) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
