package io.quarkiverse.lock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Times are in seconds. */
class HistorySummaryTest {

    private static final long SECOND = 1_000_000_000;
    private static final long NOW = 100 * SECOND;

    private final List<HistoryEvent> events = new ArrayList<>();
    private int holds;

    @Test
    void waitAfterAFaultCountsAsOutage() {
        granted("a", 1, 2);
        granted("b", 3, 10);
        assertThat(summary().untilNextGrant(4 * SECOND)).isEqualTo(Duration.ofSeconds(6));
        assertThat(summary().longestOutage(2 * SECOND, 4 * SECOND)).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void timeWithoutWaitersIsNotCounted() {
        granted("a", 1, 2);
        granted("b", 9, 10);
        assertThat(summary().untilNextGrant(4 * SECOND)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void otherFaultsAndPausesAreSubtracted() {
        granted("b", 3, 10);
        events.add(HistoryEvent.fault(5 * SECOND, 6 * SECOND));
        events.add(HistoryEvent.paused("c", 7 * SECOND, 9 * SECOND));
        assertThat(summary().untilNextGrant(4 * SECOND)).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void timeStillHeldAfterTheFaultIsSubtracted() {
        granted("a", 1, 2);
        events.add(HistoryEvent.valid("a", "lock", holds, 7 * SECOND, 7 * SECOND));
        events.add(HistoryEvent.released("a", "lock", holds, 7 * SECOND, 7 * SECOND, true));
        granted("b", 3, 8);
        assertThat(summary().untilNextGrant(4 * SECOND)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void killedHolderKeepsTheLockForItsLease() {
        granted("a", 1, 2);
        events.add(HistoryEvent.valid("a", "lock", holds, 4 * SECOND, 4 * SECOND));
        events.add(HistoryEvent.killed("a", 4 * SECOND));
        granted("b", 3, 8);
        assertThat(summary().takeovers("a")).containsExactly(
                new HistorySummary.Takeover(Duration.ofSeconds(4), Duration.ofSeconds(1)));
        assertThat(summary().takeovers("b")).isEmpty();
        assertThat(summary().holds()).isEqualTo(2);
        assertThat(summary().handOvers()).isEqualTo(1);
    }

    /** For a lease of 3 s. */
    private void granted(String process, int asked, int at) {
        events.add(HistoryEvent.invoked(process, "lock", ++holds, asked * SECOND, 50 * SECOND, 3 * SECOND));
        events.add(HistoryEvent.acquired(process, "lock", holds, at * SECOND, holds));
    }

    private HistorySummary summary() {
        return new HistorySummary(events, NOW);
    }
}
