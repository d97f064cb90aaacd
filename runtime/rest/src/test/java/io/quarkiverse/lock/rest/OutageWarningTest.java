package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** An outage is logged, but not once for each request. */
class OutageWarningTest {

    @Test
    void outageWarningIsRateLimited() {
        Problems problems = new Problems(null);
        long now = System.nanoTime();
        assertThat(problems.warns(now)).isTrue();
        assertThat(problems.warns(now)).isFalse();
        assertThat(problems.warns(now + Problems.QUIET_NANOS - 1)).isFalse();
        assertThat(problems.warns(now + Problems.QUIET_NANOS)).isTrue();
    }
}
