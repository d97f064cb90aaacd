package io.quarkiverse.lock.it.faults.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

/** Finds growth, and only growth. */
class SoakReportTest {

    private static final LongUnaryOperator FLAT = minute -> 100;

    private LongUnaryOperator heap = FLAT;
    private LongUnaryOperator threads = FLAT;
    private LongUnaryOperator descriptors = FLAT;
    private LongUnaryOperator keys = FLAT;
    private LongUnaryOperator connections = FLAT;
    private LongUnaryOperator unanswered = minute -> 0;
    private LongUnaryOperator errors = minute -> 0;

    @Test
    void stableUsagePasses() {
        heap = minute -> minute % 2 == 0 ? 100 : 104;
        unanswered = minute -> minute / 10;
        assertThat(failed()).isEmpty();
        assertThat(new SoakReport("redis", samples(45)).text()).contains("after 600 s", "after 2700 s", "PASS")
                .doesNotContain("FAIL", "too short");
    }

    @Test
    void sawtoothHeapPasses() {
        heap = minute -> 100 + 4 * (minute % 5);
        assertThat(failed()).isEmpty();
    }

    @Test
    void growingHeapIsFound() {
        heap = minute -> 100 + minute / 5 + 4 * (minute % 5);
        assertThat(failed()).singleElement().asString().contains("heap", "102", "109");
    }

    @Test
    void leakedThreadsAreFound() {
        threads = minute -> 100 + minute / 8;
        assertThat(failed()).singleElement().asString().contains("threads");
    }

    @Test
    void leakedDescriptorsAreFound() {
        descriptors = minute -> 100 + minute / 6;
        assertThat(failed()).singleElement().asString().contains("descriptors");
    }

    @Test
    void leakedConnectionsAreFound() {
        connections = minute -> 100 + minute / 10;
        assertThat(failed()).singleElement().asString().contains("connections");
    }

    @Test
    void temporaryExcessOfKeysIsFound() {
        keys = minute -> minute == 30 ? 1000 : 100;
        assertThat(failed()).singleElement().asString().contains("keys after 1800 s", "1000");
    }

    @Test
    void errorsAreFound() {
        errors = minute -> minute > 20 ? 1 : 0;
        assertThat(failed()).singleElement().asString().contains("errors");
    }

    @Test
    void frequentUnansweredRequestsAreFound() {
        unanswered = minute -> minute * 100;
        assertThat(failed()).singleElement().asString().contains("not answered in time");
    }

    @Test
    void shortRunDoesNotJudgeTheHeap() {
        heap = minute -> 100 + minute;
        assertThat(new SoakReport("redis", samples(9)).failed()).isEmpty();
        assertThat(new SoakReport("redis", samples(9)).text()).contains("too short to judge");
    }

    @Test
    void jvmLineIsParsedAsWritten() {
        String line = SoakSample.Jvm.line(1, 2, 3, 4, new TreeMap<>(Map.of("FRESH", 5L, "errors", 6L)));
        assertThat(SoakSample.Jvm.parse(line, 7))
                .isEqualTo(new SoakSample.Jvm(1, 2, 7, 3, 4, Map.of("FRESH", 5L, "errors", 6L)));
    }

    private List<String> failed() {
        return new SoakReport("redis", samples(45)).failed();
    }

    /** One sample a minute from a JVM that uses a hundred names for as long as names are remembered. */
    private List<SoakSample> samples(int minutes) {
        return LongStream.rangeClosed(1, minutes).mapToObj(this::sample).toList();
    }

    private SoakSample sample(long minute) {
        var counts = new TreeMap<String, Long>();
        for (SoakCycles.Kind each : SoakCycles.Kind.values()) {
            counts.put(each.toString(), minute * 1000);
        }
        counts.putAll(Map.of("busy", minute, "lost", 0L, "unanswered", unanswered.applyAsLong(minute), "errors",
                errors.applyAsLong(minute)));
        var jvm = new SoakSample.Jvm(heap.applyAsLong(minute) << 10, threads.applyAsLong(minute),
                descriptors.applyAsLong(minute), 0, 100, counts);
        return new SoakSample(minute * 60, List.of(jvm), Map.of("keys", keys.applyAsLong(minute)),
                Map.of("connections", connections.applyAsLong(minute)), Map.of("KiB", minute));
    }
}
