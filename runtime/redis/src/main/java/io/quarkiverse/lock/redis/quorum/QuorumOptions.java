package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.PrintableDuration;

/**
 * What all servers of a quorum have in common.
 *
 * @param keyPrefix begins all keys and channels
 * @param operationTimeout how long one operation takes at most
 * @param retention how long the record of a name outlives what is in it
 * @param longestLease no lease is longer, in any JVM: so long a server sits out that may have forgotten some
 */
public record QuorumOptions(String keyPrefix, Duration operationTimeout, Duration retention, Duration longestLease) {

    /** A lease is a second at least. */
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
     * Of one of the servers.
     *
     * @param properties begins its configuration properties
     */
    RedisLockOptions server(String properties) {
        return new RedisLockOptions(keyPrefix, operationTimeout.dividedBy(CALLS_PER_OPERATION), retention, false, properties);
    }

    /**
     * How long a claim waits for the last answers that it can do without if they are yes, once one has been no: a server that
     * hangs must not hold up those who meet at the others.
     */
    long patienceNanos() {
        return operationTimeout.toNanos() / 10;
    }

    /**
     * Whether these are servers that can make a quorum.
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
                        + "' more than once: each has to be a server of its own. Name other clients");
            }
        }
    }
}
