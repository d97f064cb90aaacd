package io.quarkiverse.lock.redis.script;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How to use a Redis server for locks.
 *
 * @param keyPrefix the prefix of all keys and channels; without braces, {@code |} and {@code %}
 * @param operationTimeout the longest that one operation takes
 * @param retention how long the record of a name is kept after its last use
 * @param cluster the server is a Redis Cluster
 * @param properties the prefix of the configuration properties of the connection, {@code quarkus.redis.} or
 *        {@code quarkus.redis.<client>.}; for messages
 * @param replicaAcks how many replicas must have a grant or its renewal before it counts
 * @param graceLease the longest lease of all JVMs with this key prefix: after a server may have lost grants, it grants nothing
 *        until slightly more than that has passed; {@code null} without such a grace
 */
public record RedisLockOptions(String keyPrefix, Duration operationTimeout, Duration retention, boolean cluster,
        String properties, int replicaAcks, @Nullable Duration graceLease) {

    /** Without grace. */
    public RedisLockOptions(String keyPrefix, Duration operationTimeout, Duration retention, boolean cluster,
            String properties, int replicaAcks) {
        this(keyPrefix, operationTimeout, retention, cluster, properties, replicaAcks, null);
    }

    /** No replica has to acknowledge anything. */
    public RedisLockOptions(String keyPrefix, Duration operationTimeout, Duration retention, boolean cluster,
            String properties) {
        this(keyPrefix, operationTimeout, retention, cluster, properties, 0);
    }

    /** Two seconds for an operation, and a minute of retention. */
    public static final RedisLockOptions STANDARD = new RedisLockOptions("lock:", Duration.ofSeconds(2), Duration.ofSeconds(60),
            false, "quarkus.redis.");

    public RedisLockOptions {
        for (char c : new char[] { '{', '}', '|', '%' }) {
            if (keyPrefix.indexOf(c) >= 0) {
                throw new IllegalArgumentException(
                        "quarkus.lock.redis.key-prefix=" + keyPrefix + " must not contain '" + c + "'");
            }
        }
        positive(operationTimeout, "operation-timeout");
        positive(retention, "retention");
        if (graceLease != null) {
            positive(graceLease, "longest-lease");
            if (cluster) {
                throw new IllegalArgumentException(
                        "quarkus.lock.redis.after-failover=grace does not work with a Redis Cluster: "
                                + "a script cannot tell whether the data of a slot are older than the last start or fail-over "
                                + "of its node. Keep locks in a single Redis or behind Sentinel "
                                + "(quarkus.lock.redis.client-name), or use quarkus.lock.redis.replica-acks");
            }
        }
        if (replicaAcks < 0) {
            throw new IllegalArgumentException(
                    "quarkus.lock.redis.replica-acks=" + replicaAcks + " must not be negative");
        }
    }

    /** A call may be queued behind one {@code WAIT} and then need its own: both must end before the operation times out. */
    private static final int ACKS_PER_OPERATION = 3;

    /** How long replicas have to acknowledge: two of these, and everything else, fit into an operation. */
    public long ackMillis() {
        return Math.max(1, operationTimeout.toMillis() / ACKS_PER_OPERATION);
    }

    /** The longest lease that a grace outlasts; without a grace, any lease. */
    public long longestLeaseNanos() {
        return graceLease == null ? Long.MAX_VALUE : graceLease.toNanos();
    }

    /** These options, with a grace in which holders report their grants again. */
    public RedisLockOptions withGrace(Duration longestLease) {
        return new RedisLockOptions(keyPrefix, operationTimeout, retention, cluster, properties, replicaAcks, longestLease);
    }

    private static void positive(Duration value, String property) {
        if (value.toMillis() < 1 || value.toDays() > 365) {
            throw new IllegalArgumentException(
                    "quarkus.lock.redis." + property + "=" + value + " must be at least 1 ms and at most 365 days");
        }
    }
}
