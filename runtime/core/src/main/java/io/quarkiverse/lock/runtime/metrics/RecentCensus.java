package io.quarkiverse.lock.runtime.metrics;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.quarkiverse.lock.engine.lease.Census.Count;
import io.quarkiverse.lock.engine.lease.Census.Group;

/** Caches the census, so that reading all gauges at once takes only one. Its groups are those of the tags. */
final class RecentCensus {

    private static final long FRESH = Duration.ofMillis(500).toNanos();

    private final Supplier<Map<Group, Count>> census;
    private Map<Group, Count> counts = Map.of();
    private long takenAt;
    private boolean taken;

    RecentCensus(Supplier<Map<Group, Count>> census) {
        this.census = census;
    }

    synchronized Count of(Group group) {
        long now = System.nanoTime();
        if (!taken || now - takenAt > FRESH) {
            counts = new HashMap<>();
            census.get().forEach((each, count) -> counts.merge(new Group(each.manager(), LockMeters.tag(each.template())),
                    count, Count::plus));
            takenAt = now;
            taken = true;
        }
        return counts.getOrDefault(group, Count.NOBODY);
    }
}
