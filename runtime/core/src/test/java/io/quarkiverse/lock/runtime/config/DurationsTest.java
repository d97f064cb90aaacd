package io.quarkiverse.lock.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class DurationsTest {

    @Test
    void exactlyHalfOfALeaseIsNotMoreThanHalf() {
        Duration lease = Duration.ofSeconds(30);
        assertThat(Durations.moreThanHalf(Duration.ofSeconds(15), lease)).isFalse();
        assertThat(Durations.moreThanHalf(Duration.ofSeconds(15).plusNanos(1), lease)).isTrue();
        assertThat(Durations.moreThanHalf(Duration.ofNanos(1), Duration.ofNanos(3))).isFalse();
        assertThat(Durations.moreThanHalf(Duration.ofNanos(2), Duration.ofNanos(3))).isTrue();
        assertThat(Durations.moreThanHalf(Duration.ofSeconds(Long.MAX_VALUE), lease)).isTrue();
    }
}
