package io.quarkiverse.lock.testkit.random;

import java.time.Duration;
import java.util.List;

/**
 * What the users of a randomized run ask for.
 *
 * @param names the locks, the hottest first
 * @param threads how many of each JVM take locks
 * @param longestLease no lease is longer
 * @param keptFor how long the store keeps the lock of a dead holder at least, whatever its lease; zero where the lease decides
 * @param timers how many timers the backend always has
 */
public record RandomLoad(List<String> names, int threads, Duration longestLease, Duration keptFor, int timers) {

    /** Leases of up to 8 s, which decide. */
    public RandomLoad(List<String> names, int threads) {
        this(names, threads, Duration.ofSeconds(8), Duration.ZERO, 0);
    }
}
