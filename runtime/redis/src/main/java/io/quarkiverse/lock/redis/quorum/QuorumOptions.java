package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.PrintableDuration;

/**
 * The options that all servers of a quorum share.
 *
 * @param keyPrefix the prefix of all keys and channels
 * @param operationTimeout the longest that one operation takes
 * @param retention how long the record of a name outlives its content
 * @param longestLease no lease is longer, in any JVM: a server that may have forgotten some sits out for this long
 */
public record QuorumOptions(String keyPrefix, Duration operationTimeout, Duration retention, Duration longestLease) {

    /** A lease is at least a second. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(24);

    public QuorumOptions {
        if (longestLease.compareTo(SHORTEST) < 0 || longestLease.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("quarkus.lock.redis.longest-lease=" + PrintableDuration.of(longestLease)
                    + " must be at least 1 s and at most 24 hours");
        }
    }

    /** A grant takes two calls. */
    private static final int CALLS_PER_OPERATION = 2;

    /**
     * The options of one of the servers.
     *
     * @param properties the prefix of its configuration properties
     */
    RedisLockOptions server(String properties) {
        return new RedisLockOptions(keyPrefix, operationTimeout.dividedBy(CALLS_PER_OPERATION), retention, false, properties);
    }

    /**
     * How long a claim waits, after a first no, for the last answers that it can do without if they are yes: a server that
     * hangs must not hold up claims that meet at the others.
     */
    long patienceNanos() {
        return operationTimeout.toNanos() / 10;
    }

    /**
     * Checks that these servers can form a quorum.
     *
     * @throws IllegalArgumentException says what to change
     */
    public static void check(List<String> clients) {
        String property = "quarkus.lock.redis.quorum=" + String.join(",", clients);
        if (clients.size() < 3 || clients.size() % 2 == 0) {
            throw new IllegalArgumentException(property + " names " + clients.size()
                    + (clients.size() == 1 ? " Redis client" : " Redis clients")
                    + ": a quorum takes an odd number of them, at least 3. Name 3 to survive the loss of one server, 5 for two");
        }
        for (String client : clients) {
            if (clients.indexOf(client) != clients.lastIndexOf(client)) {
                throw new IllegalArgumentException(property + " names the Redis client '" + client
                        + "' more than once: each has to be a separate server. Name other clients");
            }
        }
    }
}
