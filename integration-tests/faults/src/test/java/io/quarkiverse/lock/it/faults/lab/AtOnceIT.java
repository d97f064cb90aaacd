package io.quarkiverse.lock.it.faults.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/**
 * Shows the value of {@code after-failover=grace} and {@code replica-acks}: without them, the same faults on the same servers
 * cause second holders, and the laboratory sees them. Run by hand, with {@code -Dlock.lab.at-once=true}, and
 * {@code lock.lab.backends}, {@code lock.lab.deeds}, {@code lock.lab.seed} and {@code lock.lab.seconds} as in
 * {@link LaboratoryIT}. Each sitting ends with its first finding.
 */
@EnabledIfSystemProperty(named = "lock.lab.at-once", matches = "true")
class AtOnceIT {

    private static final Map<String, Supplier<Stand>> STANDS = Map.of(
            "redis-grace", () -> new RedisGraceStand(false),
            "redis-grace-promotion", () -> new RedisPromotionStand(false),
            "redis-cluster-acks", () -> new RedisClusterPromotionStand("redis-cluster-without-acks", 0, false),
            "postgresql-grace", () -> new PostgresGraceStand(false));
    private static final Set<Rule> ONE_HOLDER = Set.of(Rule.EXCLUSION, Rule.FENCING);

    private static final long SITTING = 120;
    private static final long SECONDS = Long.getLong("lock.lab.seconds", SITTING);
    private static final long SEED = Long.getLong("lock.lab.seed", ThreadLocalRandom.current().nextInt(1_000_000));

    @TempDir
    Path directory;

    static Stream<String> backends() {
        return LaboratoryIT.backends().filter(STANDS::containsKey);
    }

    @ParameterizedTest
    @MethodSource("backends")
    void unprotectedStoreHasSecondHolders(String backend) throws Exception {
        List<Boolean> found = new ArrayList<>();
        try (Stand stand = STANDS.get(backend).get()) {
            for (long left = SECONDS; left > 0; left -= SITTING) {
                long seed = SEED + found.size();
                try (var laboratory = new Laboratory(stand, seed, Mutant.NONE, directory.resolve(Long.toString(seed)))) {
                    Sitting sitting = laboratory.run(Math.min(left, SITTING));
                    found.add(sitting.violations().stream().anyMatch(each -> ONE_HOLDER.contains(each.rule())));
                    System.out.printf("| %s | %d | %s | %.1f s |%n", stand.name(), seed, byRule(sitting), sitting.seconds());
                }
            }
        }
        assertThat(found).as("second holders on unprotected %s go unnoticed, seed %s", backend, SEED).contains(true);
    }

    private static Map<Rule, Integer> byRule(Sitting sitting) {
        var violations = new TreeMap<Rule, Integer>();
        sitting.violations().forEach(each -> violations.merge(each.rule(), 1, Integer::sum));
        return violations;
    }
}
