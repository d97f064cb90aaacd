package io.quarkiverse.lock.redis.runtime;

import java.time.Duration;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Locks in Redis. */
@ConfigMapping(prefix = "quarkus.lock.redis")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface RedisLockConfig {

    /**
     * The prefix of all keys and channels, before the namespace ({@code quarkus.lock.namespace}). An ACL user for locks
     * needs this prefix only. Must not contain braces, {@code |} or {@code %}.
     */
    @WithDefault("lock:")
    String keyPrefix();

    /** The longest time for one operation: how long a claim that does not wait, a renewal or a release waits for Redis. */
    @WithDefault("2s")
    Duration operationTimeout();

    /**
     * How many replicas must acknowledge a lock or its renewal before it counts. With 1 or more, a fail-over to a replica
     * that has acknowledged keeps the locks. Replicas have a third of {@code quarkus.lock.redis.operation-timeout} to
     * acknowledge. A call with too few acknowledgements tries again until its wait ends, then fails and leaves nothing
     * behind. A renewal with too few does not count, so the lock is lost at its deadline if this goes on. Costs one round
     * trip to the replicas, and one more connection for each JVM.
     */
    @WithDefault("0")
    int replicaAcks();

    /**
     * When locks are granted again after Redis may have lost grants, through a fail-over to a replica that lags behind, a
     * restart without its data, an older backup, or {@code FLUSHALL}: at once, or after a grace, during which no lock is
     * granted and holders keep theirs. All applications with the same key prefix must agree. Not with a Redis Cluster.
     */
    @WithDefault("at-once")
    AfterFailover afterFailover();

    /**
     * With {@code quarkus.lock.redis.after-failover=grace} or {@code quarkus.lock.redis.quorum}, the longest lease of any
     * lock with this key prefix, across all applications. A grace lasts slightly longer than this, and so does the time for
     * which a quorum server takes no part after it has started or lost its data. A longer lease is refused, and so is
     * a longer {@code holdAtLeast}.
     */
    @WithDefault("30s")
    Duration longestLease();

    /** When locks are granted again after Redis may have lost grants. */
    enum AfterFailover {
        /** Locks are granted at once, even one whose holder does not know yet that its grant is lost. */
        AT_ONCE,
        /** No lock is granted until the longest lease is over. Meanwhile, holders report their grants and keep them. */
        GRACE
    }

    /**
     * How long Redis keeps the record of a name after its last use. The record keeps fencing tokens rising even if the
     * server's clock is set back meanwhile; then it is kept for longer, by as much as the clock was set back. With
     * {@code quarkus.lock.redis.quorum}, it is kept for at least the longest lease, as the servers' clocks may differ by that.
     */
    @WithDefault("60s")
    Duration retention();
}
