package io.quarkiverse.lock.it.faults.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nothing grows: neither the JVMs that use locks for a long time, nor what they leave in the store.
 * <p>
 * {@code -Dlock.soak.seconds=2700} sets the duration, {@code -Dlock.soak.backends=redis,postgresql} the backends, and
 * {@code -Dlock.soak.reports=…} the directory of the reports, by default {@code target/lab}. In the build it takes a few
 * seconds on Redis, too short to judge the heap. It does show that everything used there is gone in the end.
 */
class SoakIT {

    private static final String BACKENDS = System.getProperty("lock.soak.backends", "redis");
    private static final long SECONDS = Long.getLong("lock.soak.seconds", 5);
    private static final Path REPORTS = Path.of(System.getProperty("lock.soak.reports", "target/lab"));

    static Stream<String> backends() {
        return Arrays.stream(BACKENDS.split(","));
    }

    private static SoakStore store(String backend) {
        return switch (backend) {
            case "redis" -> new SoakRedis(SECONDS < 60 ? Duration.ofSeconds(1) : Duration.ofSeconds(60));
            case "postgresql" -> new SoakPostgres();
            default -> throw new IllegalArgumentException(
                    "lock.soak.backends=" + backend + " is none of redis, postgresql");
        };
    }

    @ParameterizedTest
    @MethodSource("backends")
    void resourceUsageDoesNotGrow(String backend) throws Exception {
        Duration interval = Duration.ofSeconds(Math.max(1, Math.min(60, SECONDS / 9)));
        try (SoakStore store = store(backend); var soak = new Soak(store)) {
            // After each sample: an aborted run must not lose the results of an hour
            List<SoakSample> samples = soak.run(Duration.ofSeconds(SECONDS), interval,
                    so -> new SoakReport(backend, so).write(REPORTS));
            var report = new SoakReport(backend, samples);
            System.out.println(report.text());
            Map<String, Long> counts = samples.get(samples.size() - 1).counts();
            assertThat(counts.get(SoakCycles.Kind.FRESH.toString())).isPositive();
            assertThat(counts.get(SoakCycles.Kind.HOT.toString())).isPositive();
            soak.end();
            assertThat(report.failed()).as(report.text()).isEmpty();
        }
    }
}
