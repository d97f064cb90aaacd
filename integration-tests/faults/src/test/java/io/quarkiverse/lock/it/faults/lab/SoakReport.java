package io.quarkiverse.lock.it.faults.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The result of a soak, as a part of a page in AsciiDoc: the state after a fifth of the time, and at the end. */
final class SoakReport {

    /** Ten minutes out of forty-five. */
    private static final double FIRST = 10 / 45.0;
    /** Before that, not all code has been compiled, and not all caches are full. */
    private static final long JUDGED = 600;
    private static final double HEAP = 0.05;
    private static final int SPAN = 5;
    private static final long THREADS = 3;
    private static final long DESCRIPTORS = 4;
    private static final long CONNECTIONS = 2;
    private static final long ONE_OF = 1000;
    /** What exists beside the fresh names: the few that are reused, and their claims. */
    private static final long FIXED = 50;

    private final String backend;
    private final List<SoakSample> samples;
    private final SoakSample first;
    private final SoakSample last;
    private final List<String> failed = new ArrayList<>();

    SoakReport(String backend, List<SoakSample> samples) {
        this.backend = backend;
        this.samples = List.copyOf(samples);
        this.first = samples.get(Math.max(0, (int) Math.round(samples.size() * FIRST) - 1));
        this.last = samples.get(samples.size() - 1);
    }

    void write(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("soak-" + backend + ".adoc"), text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bars that were not met. */
    List<String> failed() {
        text();
        return failed;
    }

    String text() {
        failed.clear();
        Map<String, Long> counts = last.counts();
        long cycles = List.of(SoakCycles.Kind.values()).stream().mapToLong(each -> counts.get(each.toString())).sum();
        var page = new StringBuilder("[#soak-" + backend + "]\n=== `" + backend + "`\n\n");
        page.append(String.format(Locale.ROOT,
                "%d JVMs with Java %d and 256 MiB each, %d s, %,d cycles (%.0f a second): %,d of them found the lock taken.%n%n",
                last.jvms().size(), Runtime.version().feature(), last.seconds(), cycles,
                cycles / (double) Math.max(1, last.seconds()), counts.get("busy")));
        page.append(List.of(SoakCycles.Kind.values()).stream().map(each -> "`" + each + "` " + counts.get(each.toString()))
                .collect(Collectors.joining(", "))).append(".\n\n");
        bars(page, counts, cycles);
        course(page);
        return page.toString();
    }

    private void bars(StringBuilder page, Map<String, Long> counts, long cycles) {
        begin(page, "3,1,1,1,1", "", "after " + first.seconds() + " s", "after " + last.seconds() + " s", "at most", "");
        for (int i = 0; i < last.jvms().size(); i++) {
            int jvm = i;
            long was = leastHeap(first, jvm);
            long is = leastHeap(last, jvm);
            bar(page, "heap of JVM " + i + " after a full collection, the least of " + SPAN + " up to then, KiB", was, is,
                    Math.round(was * (1 + HEAP)), last.seconds() >= JUDGED);
            steady(page, "threads of JVM " + i, each -> each.jvms().get(jvm).threads(), THREADS);
            steady(page, "descriptors of JVM " + i, each -> each.jvms().get(jvm).descriptors(), DESCRIPTORS);
        }
        last.steady().keySet().forEach(each -> steady(page, each, sample -> sample.steady().get(each), CONNECTIONS));
        last.leftovers().keySet().forEach(each -> leftovers(page, each));
        rare(page, "lost although it was renewed", "lost", cycles);
        rare(page, "not answered in time", "unanswered", cycles);
        bar(page, "errors", first.counts().get("errors"), counts.get("errors"), 0, true);
        end(page);
    }

    /** The memory of names fills up and is cleared again: its size at one moment is chance. */
    private long leastHeap(SoakSample at, int jvm) {
        int end = samples.indexOf(at) + 1;
        return samples.subList(Math.max(0, end - SPAN), end).stream().mapToLong(each -> each.jvms().get(jvm).heap() >> 10)
                .min().orElseThrow();
    }

    private void steady(StringBuilder page, String what, ToLongFunction<SoakSample> value, long slack) {
        long was = value.applyAsLong(first);
        bar(page, what, was, value.applyAsLong(last), was + slack, last.seconds() >= JUDGED);
    }

    /** Also in between there must not be more than was used lately. */
    private void leftovers(StringBuilder page, String what) {
        for (SoakSample each : samples) {
            if (each.leftovers().get(what) > explained(each)) {
                failed.add(what + " after " + each.seconds() + " s: " + each.leftovers().get(what) + ", but at most "
                        + explained(each) + " names were used lately");
            }
        }
        bar(page, what, first.leftovers().get(what), last.leftovers().get(what), explained(last), true);
    }

    /** What may happen a few times when the machine has no time. */
    private void rare(StringBuilder page, String what, String count, long cycles) {
        bar(page, what, first.counts().get(count), last.counts().get(count), cycles / ONE_OF, last.seconds() >= JUDGED);
    }

    private static long explained(SoakSample sample) {
        return sample.names() + FIXED;
    }

    private void bar(StringBuilder page, String what, long was, long is, long atMost, boolean judged) {
        boolean fine = is <= atMost;
        if (judged && !fine) {
            failed.add(what + ": " + was + ", then " + is + ", but at most " + atMost);
        }
        cells(page, what, number(was), number(is), number(atMost), !judged ? "too short to judge" : fine ? "PASS" : "*FAIL*");
    }

    /** A dozen rows are enough to see a trend. */
    private void course(StringBuilder page) {
        var heads = new ArrayList<>(List.of("seconds", "heaps, KiB", "threads", "descriptors", "names used lately"));
        heads.addAll(last.leftovers().keySet());
        heads.addAll(last.steady().keySet());
        heads.addAll(last.shown().keySet());
        heads.add("errors");
        begin(page, heads.stream().map(each -> "1").collect(Collectors.joining(",")), heads.toArray(String[]::new));
        int step = Math.max(1, samples.size() / 9);
        for (int i = step - 1; i < samples.size(); i += step) {
            SoakSample each = samples.get(i);
            var cells = new ArrayList<>(List.of(number(each.seconds()), all(each, jvm -> jvm.heap() >> 10),
                    all(each, SoakSample.Jvm::threads), all(each, SoakSample.Jvm::descriptors), number(each.names())));
            List.of(each.leftovers(), each.steady(), each.shown())
                    .forEach(map -> map.values().forEach(value -> cells.add(number(value))));
            cells.add(number(each.counts().get("errors")));
            cells(page, cells.toArray(String[]::new));
        }
        end(page);
    }

    private static String all(SoakSample sample, Function<SoakSample.Jvm, Long> value) {
        return sample.jvms().stream().map(value).map(SoakReport::number).collect(Collectors.joining(" + "));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static void begin(StringBuilder page, String widths, String... heads) {
        page.append("[cols=\"").append(widths).append("\"]\n|===\n|").append(String.join(" |", heads)).append("\n\n");
    }

    private static void end(StringBuilder page) {
        page.append("|===\n\n");
    }

    private static void cells(StringBuilder page, String... texts) {
        page.append('|').append(String.join(" |", texts)).append('\n');
    }
}
