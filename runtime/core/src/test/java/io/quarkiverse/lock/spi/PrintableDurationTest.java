package io.quarkiverse.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.lock.runtime.config.Durations;

class PrintableDurationTest {

    @ParameterizedTest
    @CsvSource({ "PT0S,0ms", "PT0.0009S,0ms", "PT0.04S,40ms", "PT0.999S,999ms", "PT1S,1s", "PT4.5018S,4.501s", "PT90S,1m30s",
            "PT24H,24h", "PT-1S,0ms" })
    void isWhatTheConfigurationTakes(Duration duration, String text) {
        assertThat(PrintableDuration.of(duration)).isEqualTo(text);
        assertThat(PrintableDuration.ofNanos(duration.toNanos())).isEqualTo(text);
        Duration read = Durations.parse(text);
        assertThat(duration.minus(read)).isLessThan(Duration.ofMillis(1));
    }

    @ParameterizedTest
    @CsvSource({ "40ms,40000000", "7.028s,7028000000" })
    void followsAHolder(String text, long nanos) {
        assertThat(PrintableDuration.heldBy("one", nanos)).isEqualTo("one for " + text);
    }
}
