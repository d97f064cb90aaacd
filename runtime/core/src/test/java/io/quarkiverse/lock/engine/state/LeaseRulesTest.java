package io.quarkiverse.lock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** What is configured may be longer than a number of nanoseconds. */
class LeaseRulesTest {

    private static final Duration MILLENNIUM = Duration.ofDays(365_000);

    @Test
    void fault477_centuriesAreAsGoodAsForEver() {
        var time = new VirtualTime();
        var rules = new LeaseRules(new LocalBackend(new LocalStore(time)), time, MILLENNIUM, MILLENNIUM, new Fencing(0), 0,
                true);
        assertThat(rules.slice(true)).isEqualTo(Long.MAX_VALUE / 2);
        assertThat(rules.safetyMargin(1000)).as("half of the lease at most").isEqualTo(500);
    }
}
