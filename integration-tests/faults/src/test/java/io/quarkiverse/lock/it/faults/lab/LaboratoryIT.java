package io.quarkiverse.lock.it.faults.lab;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;

/**
 * Every backend under all faults at once.
 * <p>
 * {@code -Dlock.lab.backends=redis,postgresql,zookeeper} selects the backends, {@code -Dlock.lab.seconds=600} the duration, in
 * sittings of two minutes; {@code -Dlock.lab.seed=…} begins with the seed from a report. The reports are in {@code target/lab},
 * or in the directory given by {@code -Dlock.lab.reports=…}.
 */
class LaboratoryIT {

    private static final Map<String, Supplier<Stand>> STANDS = Map.ofEntries(
            entry("redis", RedisStand::new),
            entry("redis-grace", () -> new RedisGraceStand(true)),
            entry("redis-grace-promotion", () -> new RedisPromotionStand(true)),
            entry("redis-quorum", RedisQuorumStand::new),
            entry("redis-demoted-master", RedisDemotedMasterStand::new),
            entry("redis-sentinel", () -> new RedisSentinelStand("redis-sentinel", 0, false)),
            entry("redis-sentinel-planned", () -> new RedisSentinelStand("redis-sentinel-planned", 0, true)),
            entry("redis-sentinel-acks", () -> new RedisSentinelStand("redis-sentinel-acks", 1, false)),
            entry("redis-cluster", RedisClusterStand::new),
            entry("redis-cluster-promotion", () -> new RedisClusterPromotionStand("redis-cluster-promotion", 0, true)),
            entry("redis-cluster-acks", () -> new RedisClusterPromotionStand("redis-cluster-acks", 1, false)),
            entry("postgresql", DatabaseStand::postgres),
            entry("postgresql-grace", () -> new PostgresGraceStand(true)),
            entry("mariadb", DatabaseStand::mariaDb),
            entry("zookeeper", ZooKeeperStand::one),
            entry("zookeeper-ensemble", ZooKeeperStand::ensemble));

    /** The isolation levels where locks live in transactions. */
    private static final Map<String, TransactionIsolation> ISOLATIONS = Map.of(
            "postgresql-read-committed", TransactionIsolation.READ_COMMITTED,
            "postgresql-repeatable-read", TransactionIsolation.REPEATABLE_READ,
            "mariadb-read-committed", TransactionIsolation.READ_COMMITTED,
            "mariadb-default-isolation", TransactionIsolation.UNDEFINED);

    private static final String BACKENDS = System.getProperty("lock.lab.backends", "redis");
    private static final long SECONDS = Long.getLong("lock.lab.seconds", 10);
    private static final long SEED = Long.getLong("lock.lab.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    private static final Path REPORTS = Path.of(System.getProperty("lock.lab.reports", "target/lab"));
    private static final long SITTING = 120;
    /** Shorter runs need not show the effect of a missing fence, which takes a pause at the wrong time. */
    private static final long PROVES = 50;

    @TempDir
    Path directory;

    static Stream<String> backends() {
        return Arrays.stream(BACKENDS.split(",")).filter(each -> !ISOLATIONS.containsKey(each));
    }

    static Stream<String> inTransactions() {
        return Arrays.stream(BACKENDS.split(",")).filter(ISOLATIONS::containsKey);
    }

    static Stand stand(String backend) {
        Supplier<Stand> stand = STANDS.get(backend);
        if (stand == null) {
            throw new IllegalArgumentException("lock.lab.backends=" + backend + " is none of " + STANDS.keySet() + " and "
                    + ISOLATIONS.keySet());
        }
        return stand.get();
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("backends")
    void randomRunsFindNoViolation(String backend) throws Exception {
        try (Stand stand = stand(backend)) {
            List<Sitting> sittings = new ArrayList<>();
            LabReport report = new LabReport(stand, sittings);
            for (long left = SECONDS; left > 0 && sittings.stream().allMatch(Sitting::fine); left -= SITTING) {
                sittings.add(sit(stand, SEED + sittings.size(), Math.min(left, SITTING)));
                // After each sitting: an aborted run must not lose the results of hours
                report = new LabReport(stand, sittings);
                report.write(REPORTS);
            }
            System.out.println(report.text());
            for (Sitting each : sittings) {
                assertThat(each.fine()).as(each.complaints()).isTrue();
            }
            assertThat(report.accepted()).as("no increments behind the fence: the run proves nothing").isPositive();
            if (SECONDS >= PROVES && !LabNemesis.SOME_DEEDS) {
                assertThat(report.damage()).as("no increments lost without a fence: the run proves nothing")
                        .isPositive();
            }
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("inTransactions")
    void nothingIsCommittedTwice(String backend) throws Exception {
        try (DatabaseStand stand = backend.startsWith("postgresql") ? DatabaseStand.postgres() : DatabaseStand.mariaDb()) {
            List<TransactionsSitting> sittings = new ArrayList<>();
            var report = new TransactionsReport(backend, sittings);
            for (long left = SECONDS; left > 0 && sittings.stream().allMatch(TransactionsSitting::fine); left -= SITTING) {
                long seed = SEED + sittings.size();
                System.out.println("LaboratoryIT: -Dlock.lab.backends=" + backend + " -Dlock.lab.seed=" + seed);
                try (var laboratory = new TransactionsLab(stand, ISOLATIONS.get(backend), seed)) {
                    sittings.add(laboratory.run(seed, Math.min(left, SITTING)));
                }
                report.write(REPORTS);
            }
            System.out.println(report.text());
            for (TransactionsSitting each : sittings) {
                assertThat(each.fine()).as(each.complaints()).isTrue();
            }
        }
    }

    private Sitting sit(Stand stand, long seed, long seconds) throws Exception {
        System.out.println("LaboratoryIT: -Dlock.lab.backends=" + stand.name() + " -Dlock.lab.seed=" + seed);
        try (var laboratory = new Laboratory(stand, seed, Mutant.NONE, directory.resolve(Long.toString(seed)))) {
            return laboratory.run(seconds);
        }
    }
}
