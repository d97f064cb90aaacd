package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Lets the sides of a workload take turns, so that what the machine does meanwhile meets all of them. */
final class Rounds {

    /** By when a side has made its connections and done its first work, also on a busy machine. */
    private static final long WARM = TimeUnit.SECONDS.toNanos(1);
    /**
     * So many rounds' time before the first that counts. A JVM that gets a lock from another one a hundred times in a round
     * would otherwise be measured while it interprets: methods are first compiled when they have run 200 times.
     */
    private static final int WARM_UP = 3;

    /** So often a side may begin, of which it connects in the first. */
    private static final int STARTS = 10;

    private Rounds() {
    }

    /** Each side once and cold, and again only if it has done nothing: for what it must not do, not for how fast it is. */
    static Map<String, Sample> brief(Workload workload, long nanos) {
        Map<String, Sample> samples = new LinkedHashMap<>();
        for (String side : workload.sides()) {
            for (int left = STARTS; !samples.containsKey(side); left--) {
                try {
                    samples.put(side, workload.measure(side, nanos));
                } catch (Exclusion.NothingDone e) {
                    if (left == 1) {
                        throw e;
                    }
                }
            }
        }
        return samples;
    }

    /** The median of each of the sides; what comes first, to warm up, does not count. */
    static Map<String, Sample> run(Workload workload, List<String> sides, int rounds, long nanos) {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        for (String side : sides) {
            samples.put(side, new ArrayList<>());
            if (!workload.once()) {
                workload.measure(side, Math.max(WARM_UP * nanos, WARM));
            }
        }
        List<String> turns = new ArrayList<>(sides);
        for (int round = 0; round < (workload.once() ? 1 : rounds); round++) {
            for (String side : turns) {
                samples.get(side).add(workload.measure(side, nanos).withLoad());
            }
            Collections.rotate(turns, -1); // whoever comes first may find the machine in another state
        }
        var medians = new LinkedHashMap<String, Sample>();
        samples.forEach((side, all) -> medians.put(side, Sample.median(all)));
        return medians;
    }
}
