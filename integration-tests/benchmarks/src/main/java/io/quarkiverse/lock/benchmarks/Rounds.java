package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Lets the sides of a workload take turns, so that disturbances of the machine affect all of them. */
final class Rounds {

    /** By then a side has made its connections and done its first work, even on a busy machine. */
    private static final long WARM = TimeUnit.SECONDS.toNanos(1);
    /**
     * How many rounds' worth of time precede the first that counts. A JVM that gets a lock from another one a hundred times in
     * a round would otherwise be measured while it interprets: methods are first compiled after 200 runs.
     */
    private static final int WARM_UP = 3;

    /** How often a side may begin; in the first attempt it connects. */
    private static final int STARTS = 10;

    private Rounds() {
    }

    /**
     * Runs each side once and cold, and again only if it has done nothing: to check what it must not do, not how fast it is.
     */
    static Map<String, Sample> brief(Workload workload, List<String> sides, long nanos) {
        Map<String, Sample> samples = new LinkedHashMap<>();
        for (String side : sides) {
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

    /** The median of each side; the warm-up does not count. */
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
            Collections.rotate(turns, -1); // the first side may find the machine in another state
        }
        var medians = new LinkedHashMap<String, Sample>();
        samples.forEach((side, all) -> medians.put(side, Sample.median(all)));
        return medians;
    }
}
