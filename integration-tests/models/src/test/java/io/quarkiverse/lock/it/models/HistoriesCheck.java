package io.quarkiverse.lock.it.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** As {@link HistoriesTest}, for what the laboratory has just recorded in the directory {@code -Dlock.lab.histories=}. */
class HistoriesCheck {

    static Map<String, Recording> recorded() throws IOException {
        Map<String, Recording> all = Recording.in(Path.of(System.getProperty("lock.lab.histories")));
        all.keySet().removeIf(label -> !label.matches("(redis|postgresql)-\\d+\\..*"));
        return all;
    }

    static Stream<Map.Entry<String, Recording>> recordings() throws IOException {
        return recorded().entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void recordedHistoryIsAllowed(Map.Entry<String, Recording> recording) throws Exception {
        HistoriesTest.assertAllowed(recording.getKey(), recording.getValue());
    }

    @Test
    void alteredHistoryIsRejected() throws Exception {
        Map<String, Recording> recorded = recorded();
        assertThat(recorded).isNotEmpty();
        var any = recorded.entrySet().stream().filter(it -> it.getKey().endsWith(" hot")).findAny().orElseThrow();
        HistoriesTest.assertRefused(any.getKey() + " altered", Alteration.VALID_BESIDE_THE_NEXT.of(any.getValue()));
    }
}
