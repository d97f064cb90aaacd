package io.quarkiverse.lock.it.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The model {@code History} allows what the laboratory has recorded, and rejects it with one event altered. The recordings in
 * the repository are a minute on Redis and one on PostgreSQL; {@code HistoriesCheck} uses new ones.
 */
class HistoriesTest {

    private static final Path RECORDED = Path.of("src/test/histories");

    static Stream<Map.Entry<String, Recording>> recordings() throws IOException {
        return Recording.in(RECORDED).entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void recordedHistoryIsAllowed(Map.Entry<String, Recording> recording) throws Exception {
        assertThat(recording.getValue().events()).hasSizeGreaterThanOrEqualTo(Recording.WINDOW);
        assertAllowed(recording.getKey(), recording.getValue());
    }

    @ParameterizedTest
    @EnumSource
    void alteredHistoryIsRejected(Alteration alteration) throws Exception {
        Map.Entry<String, Recording> recording = recordings().findFirst().orElseThrow();
        assertRefused(recording.getKey() + " " + alteration, alteration.of(recording.getValue()));
    }

    static void assertAllowed(String label, Recording recording) throws Exception {
        Tlc.Result result = run(label, recording);
        assertThat(result.verdict()).as("%s: the event after its last step is not allowed, see %s", label, result.output())
                .isEqualTo("Refused"); // the invariant that is violated once every event has its step
        System.out.printf("%s: %d events, %d states, %.1f s%n", label, recording.events().size(), result.states(),
                result.millis() / 1e3);
    }

    static void assertRefused(String label, Recording recording) throws Exception {
        assertThat(run(label, recording).verdict()).as(label).isEqualTo(Check.HOLDS);
    }

    private static Tlc.Result run(String label, Recording recording) throws Exception {
        return Tlc.run(label, Recording.MODEL, List.of("SPECIFICATION Spec", "INVARIANTS", "  Refused"),
                Map.of("Recorded", recording.module()));
    }
}
