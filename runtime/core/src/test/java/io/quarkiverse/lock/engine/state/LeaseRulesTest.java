package io.quarkiverse.lock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** How long a lease is valid. A configured duration may exceed what a {@code long} of nanoseconds can hold. */
class LeaseRulesTest {

    private static final Duration MILLENNIUM = Duration.ofDays(365_000);

    /** A thousandth: two clocks that are both being slewed, each by up to 500 ppm, in opposite directions. */
    @Test
    void fault528_deadlineAllowsForClockRateDifference() {
        for (Duration margin : new Duration[] { null, Duration.ofMillis(50), Duration.ofSeconds(5) }) {
            LeaseRules rules = rules(margin);
            for (int seconds = 1; seconds <= Duration.ofHours(24).toSeconds(); seconds = seconds * 3 / 2 + 1) {
                long lease = Duration.ofSeconds(seconds).toNanos();
                assertThat(rules.deadline(0, lease) * 1000).as("a lease of %s s, margin %s", seconds, margin)
                        .isLessThanOrEqualTo(lease * 999);
            }
        }
    }

    @Test
    void defaultMarginIsATenthAndAtMostTwoSeconds() {
        LeaseRules rules = rules(null);
        assertThat(rules.safetyMargin(Duration.ofSeconds(10).toNanos())).isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(rules.safetyMargin(Duration.ofSeconds(30).toNanos())).isEqualTo(Duration.ofSeconds(2).toNanos());
        assertThat(rules.safetyMargin(Duration.ofSeconds(2000).toNanos())).isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void fault477_centuriesCountAsUnlimited() {
        LeaseRules rules = rules(MILLENNIUM);
        assertThat(rules.slice(true)).isEqualTo(Long.MAX_VALUE / 2);
        assertThat(rules.safetyMargin(1000)).as("at most half of the lease").isEqualTo(500);
    }

    private static LeaseRules rules(@Nullable Duration margin) {
        var time = new VirtualTime();
        return new LeaseRules(new LocalBackend(new LocalStore(time)), time, margin, MILLENNIUM, new Fencing(0), 0, true);
    }
}
