package io.quarkiverse.lock.it.faults.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.quarkiverse.lock.testkit.history.Cause;
import io.quarkiverse.lock.testkit.history.HistorySummary.Takeover;

/** The results of all sittings over one store, as a part of a page in AsciiDoc that can be copied into the guide unchanged. */
final class LabReport {

    private static final Duration MEDIAN_TAKEOVER = Duration.ofMillis(500);
    private static final Duration NEXT_GRANT = Duration.ofSeconds(8);
    /** Deeds after which locks stay idle because their holders are dead or gone: they count for the other bar. */
    private static final List<String> LEASES_DECIDE = List.of(CommonDeeds.KILL);

    private final Stand stand;
    private final List<Sitting> sittings;
    private final Map<String, Sitting.Effect> effects = new TreeMap<>();
    private final List<Takeover> takeovers = new ArrayList<>();

    LabReport(Stand stand, List<Sitting> sittings) {
        this.stand = stand;
        this.sittings = sittings;
        for (Sitting each : sittings) {
            each.effects().forEach((name, effect) -> effects.merge(name, effect, Sitting.Effect::plus));
            takeovers.addAll(each.takeovers());
        }
    }

    /** Writes it into the directory, under the name that the guide expects. */
    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("faults-" + stand.name() + ".adoc"), text());
    }

    private long sum(java.util.function.ToLongFunction<Sitting> number) {
        return sittings.stream().mapToLong(number).sum();
    }

    String text() {
        var page = new StringBuilder();
        page.append("[#faults-").append(stand.name()).append("]\n=== `").append(stand.name()).append("`\n\n");
        begin(page, "2,1", "", "");
        row(page, "JVMs, each with so many threads", Laboratory.JVMS + ", " + Stand.THREADS);
        row(page, "processors, Java",
                Runtime.getRuntime().availableProcessors() + ", " + Runtime.version().feature());
        row(page, "sittings", sittings.size());
        row(page, "time", Math.round(sittings.stream().mapToDouble(Sitting::seconds).sum()) + " s");
        row(page, "requests", sum(each -> each.summary().requests()));
        row(page, "holds", sum(each -> each.summary().holds()));
        row(page, "hand-overs to another JVM", sum(each -> each.summary().handOvers()));
        row(page, "refusals", refusals());
        row(page, "faults", effects.values().stream().mapToLong(Sitting.Effect::times).sum());
        row(page, "violations", sum(each -> each.violations().size()));
        row(page, "other problems", sum(each -> each.problems().size()));
        stand.enough().ifPresent(enough -> row(page, "waits of " + enough.toSeconds() + " s and more", longWaits()));
        row(page, "increments behind the fence",
                accepted() + ", none lost unless there are violations");
        row(page, "turned away by the fence", sum(each -> each.counted().refused()));
        row(page, "increments lost without the fence", damage() + (damage() > 0 ? "" : ": *this run has proved nothing*"));
        end(page);
        begin(page, "4,1,1", "Bar", "Measured", "");
        takeoverBars(page);
        Duration next = untilNextGrant();
        bar(page, "after a healed fault the next grant within " + seconds(NEXT_GRANT), seconds(next),
                next.compareTo(NEXT_GRANT) <= 0);
        end(page);
        begin(page, "3,1,2,2", "Fault", "Times", "Longest outage of a lock since it began",
                "Longest until the next grant since it was healed");
        effects.forEach((name, effect) -> cells(page, name, Integer.toString(effect.times()), seconds(effect.outage()),
                seconds(effect.untilNextGrant())));
        end(page);
        page.append("Again: `-Dlock.lab.backends=").append(stand.name())
                .append(" -Dlock.lab.seconds=…` with `-Dlock.lab.seed=` ")
                .append(String.join(", ", sittings.stream().map(each -> "`" + each.seed() + "`").toList())).append('\n');
        sittings.stream().filter(each -> !each.fine()).forEach(each -> page.append("\n----\n").append(each.complaints())
                .append("----\n"));
        return page.toString();
    }

    /** The number of refusals per cause. */
    private String refusals() {
        Map<Cause, Integer> all = new EnumMap<>(Cause.class);
        sittings.forEach(each -> each.summary().refusals().forEach((cause, times) -> all.merge(cause, times, Integer::sum)));
        return all.entrySet().stream().map(each -> each.getValue() + " " + each.getKey().text())
                .collect(Collectors.joining(", "));
    }

    private String longWaits() {
        return sum(each -> each.waits().granted()) + " with the lock, " + sum(each -> each.waits().inVain().size())
                + " without it, and " + sum(each -> each.waits().excused())
                + " without it in a JVM that was in trouble itself, or while one that was had the lock";
    }

    private void takeoverBars(StringBuilder page) {
        if (takeovers.isEmpty()) {
            row3(page, "a killed holder's lock after the end of its lease", "no holder was killed", "");
            return;
        }
        List<Duration> afterLease = takeovers.stream().map(Takeover::afterLease).sorted().toList();
        Duration median = median(afterLease);
        Duration longest = last(afterLease);
        List<Duration> afterKill = takeovers.stream().map(Takeover::afterEnd).sorted().toList();
        row3(page,
                "a killed holder's lock is granted to somebody else, after the kill: p50 of " + takeovers.size() + ", longest",
                seconds(median(afterKill)) + ", " + seconds(last(afterKill)), "");
        bar(page, "… within " + seconds(MEDIAN_TAKEOVER) + " of the end of its lease, counted from the kill: p50",
                seconds(median), median.compareTo(MEDIAN_TAKEOVER) <= 0);
        bar(page, "… and within " + seconds(stand.latestTakeover()) + " at the latest", seconds(longest),
                longest.compareTo(stand.latestTakeover()) <= 0);
    }

    private static Duration median(List<Duration> sorted) {
        return sorted.get(sorted.size() / 2);
    }

    private static Duration last(List<Duration> sorted) {
        return sorted.get(sorted.size() - 1);
    }

    /** The longest over all faults except those that leave dead holders. */
    private Duration untilNextGrant() {
        Duration longest = Duration.ZERO;
        for (Map.Entry<String, Sitting.Effect> each : effects.entrySet()) {
            if (!LEASES_DECIDE.contains(each.getKey())) {
                longest = Sitting.longer(longest, each.getValue().untilNextGrant());
            }
        }
        return longest;
    }

    long accepted() {
        return sum(each -> each.counted().accepted());
    }

    long damage() {
        return sum(each -> each.counted().damage());
    }

    private static void bar(StringBuilder page, String what, String measured, boolean passed) {
        row3(page, what, measured, passed ? "PASS" : "*FAIL*");
    }

    private static void begin(StringBuilder page, String widths, String... heads) {
        page.append("[cols=\"").append(widths).append("\"]\n|===\n");
        if (!heads[0].isEmpty()) {
            page.append('|').append(String.join(" |", heads)).append("\n\n");
        }
    }

    private static void end(StringBuilder page) {
        page.append("|===\n\n");
    }

    private static void cells(StringBuilder page, String... texts) {
        page.append('|').append(String.join(" |", texts)).append('\n');
    }

    private static void row(StringBuilder page, String what, Object value) {
        cells(page, what, String.valueOf(value));
    }

    private static void row3(StringBuilder page, String what, String measured, String verdict) {
        cells(page, what, measured, verdict);
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.2f s", time.toNanos() / 1e9);
    }
}
