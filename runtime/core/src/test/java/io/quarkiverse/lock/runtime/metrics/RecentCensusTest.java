package io.quarkiverse.lock.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.engine.lease.Census.Count;
import io.quarkiverse.lock.engine.lease.Census.Group;

/** What the gauges show. */
class RecentCensusTest {

    @Test
    void fault379_locksOfOneTagAreCountedTogether() {
        RecentCensus census = new RecentCensus(() -> Map.of(
                new Group("a", null), new Count(1, 2, 30),
                new Group("a", LockMeters.NO_TEMPLATE), new Count(4, 5, 60),
                new Group("a", "order-{id}"), new Count(7, 8, 90)));
        assertThat(census.of(new Group("a", LockMeters.NO_TEMPLATE))).isEqualTo(new Count(5, 7, 60));
        assertThat(census.of(new Group("a", "order-{id}"))).isEqualTo(new Count(7, 8, 90));
        assertThat(census.of(new Group("b", LockMeters.NO_TEMPLATE))).isEqualTo(Count.NOBODY);
    }
}
