package io.quarkiverse.lock.testkit.random;

import java.time.Duration;
import java.util.List;

/**
 * What the users of a randomized run ask for.
 *
 * @param names the locks, the hottest first
 * @param threads how many threads of each JVM take locks
 * @param longestLease the upper bound of all leases
 * @param keptFor the minimum time for which the store keeps a dead holder's lock, whatever its lease; zero where the lease
 *        decides
 * @param timers how many timers the backend always has
 */
public record RandomLoad(List<String> names, int threads, Duration longestLease, Duration keptFor, int timers) {

    /** Leases of up to 8 s, which decide for how long a dead holder's lock is kept. */
    public RandomLoad(List<String> names, int threads) {
        this(names, threads, Duration.ofSeconds(8), Duration.ZERO, 0);
    }
}
