package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.lock.testkit.history.HistorySummary;
import io.quarkiverse.lock.testkit.history.HistorySummary.Takeover;
import io.quarkiverse.lock.testkit.history.Violation;

/**
 * The outcome of a run of the laboratory.
 *
 * @param killed the processes that were killed while nothing else disturbed anybody
 * @param problems what is wrong besides the violations; empty if nothing is
 * @param waits those that should have ended with the lock; none where that is not promised
 * @param log what the nemesis has done
 */
record Sitting(long seed, double seconds, HistorySummary summary, List<LabNemesis.Done> done, Set<String> killed,
        List<Violation> violations, List<String> problems, Counted counted, LongWaits waits, List<String> log) {

    /**
     * The register's counts.
     *
     * @param refused holders that no longer held the lock
     * @param damage missing increments where there is no fence
     */
    record Counted(long accepted, long refused, long damage) {
    }

    /** How often a deed was done, and the longest outages that it caused. */
    record Effect(int times, Duration outage, Duration untilNextGrant) {

        Effect plus(Effect other) {
            return new Effect(times + other.times, longer(outage, other.outage), longer(untilNextGrant, other.untilNextGrant));
        }
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    Map<String, Effect> effects() {
        var effects = new LinkedHashMap<String, Effect>();
        for (LabNemesis.Done each : done) {
            effects.merge(each.name(), new Effect(1, summary.longestOutage(each.from(), each.to()),
                    summary.untilNextGrant(each.to())), Effect::plus);
        }
        return effects;
    }

    /** How the locks of the killed processes were granted. */
    List<Takeover> takeovers() {
        var takeovers = new ArrayList<Takeover>();
        killed.forEach(each -> takeovers.addAll(summary.takeovers(each)));
        return takeovers;
    }

    boolean fine() {
        return violations.isEmpty() && problems.isEmpty();
    }

    /** A human-readable list of what went wrong. */
    String complaints() {
        var text = new StringBuilder("Seed " + seed + ", after " + Math.round(seconds) + " s: " + violations.size()
                + " violations\n");
        violations.stream().limit(3).forEach(each -> text.append(each).append('\n'));
        problems.forEach(each -> text.append(each).append('\n'));
        text.append("Deeds:\n");
        log.subList(Math.max(0, log.size() - 14), log.size()).forEach(each -> text.append(each).append('\n'));
        return text.toString();
    }
}
