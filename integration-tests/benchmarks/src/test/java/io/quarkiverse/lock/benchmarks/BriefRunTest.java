package io.quarkiverse.lock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every side works, nothing fails, and a lock has one holder at a time. Speed does not matter here.
 * {@code -Dlock.test.full=false}, the default of the build, runs only one workload on each store.
 * {@code -Dlock.bench.jvms=false} skips workloads that start JVMs, which take longer than all others together.
 * {@code -Dlock.bench.peers=false} runs only our side of each.
 */
class BriefRunTest {

    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final String OURS = "ours";
    private static final boolean WITHOUT_PEERS = "false".equals(System.getProperty("lock.bench.peers"));

    private static final Set<String> ONE_ON_EACH_STORE = Set.of("one-name-8-threads", "zookeeper-one-name-8-threads",
            "postgresql-one-name-8-threads");

    static Stream<String> names() {
        if ("false".equals(System.getProperty("lock.test.full"))) {
            assertThat(Workloads.all()).containsKeys(ONE_ON_EACH_STORE.toArray(String[]::new));
            return ONE_ON_EACH_STORE.stream();
        }
        boolean jvms = !"false".equals(System.getProperty("lock.bench.jvms"));
        return Workloads.all().keySet().stream().filter(name -> jvms || !name.matches(".*(jvms|idle).*"));
    }

    @ParameterizedTest
    @MethodSource("names")
    void everySideWorksAndExcludes(String name) {
        try (Server server = Server.forWorkload(name);
                Workload workload = Workloads.all().get(name).apply(Setup.brief(server))) {
            List<String> sides = WITHOUT_PEERS && workload.sides().contains(OURS) ? List.of(OURS) : workload.sides();
            Map<String, Sample> results = Rounds.brief(workload, sides, NANOS);
            assertThat(results.keySet()).containsExactlyElementsOf(sides);
            assertThat(results.values()).allSatisfy(sample -> assertThat(sample.get(Metric.CYCLES)).isPositive());
        }
    }
}
