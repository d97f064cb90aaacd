package io.quarkiverse.lock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraceWatchTest {

    @ParameterizedTest
    @CsvSource({ "6.2.0, false", "6.2.6, false", "6.2.7, true", "6.2.17, true", "6.3.0, true", "7.0.0, true", "7.2.4, true" })
    void oldServersDoNotStopScripts(String version, boolean stops) {
        assertThat(GraceWatch.stopsScripts("# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone\r\n"))
                .isEqualTo(stops);
    }
}
