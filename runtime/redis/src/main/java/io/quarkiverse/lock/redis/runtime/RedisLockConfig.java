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
     * Begins all keys and channels, before the namespace ({@code quarkus.lock.namespace}). An ACL user for locks needs this
     * prefix only. Must not contain braces, {@code |} and {@code %}.
     */
    @WithDefault("lock:")
    String keyPrefix();

    /**
     * How long one operation takes at most: what a claim that does not wait, a renewal or a release waits for Redis.
     */
    @WithDefault("2s")
    Duration operationTimeout();

    /**
     * How many replicas must have a lock, or its renewal, before it counts: with 1 or more, a fail-over to a replica that has
     * acknowledged keeps the locks. They have a third of {@code quarkus.lock.redis.operation-timeout} for it. A call that
     * too few acknowledge tries again until the end of its wait, and then fails and leaves nothing behind; a renewal that too
     * few acknowledge does not count, so that the lock is lost at its deadline if that goes on. Costs one round trip to the
     * replicas, and one more connection for each JVM.
     */
    @WithDefault("0")
    int replicaAcks();

    /**
     * What happens after a Redis may have lost grants: by a fail-over to a replica that lags behind, a restart without its
     * data,
     * an older backup, or {@code FLUSHALL}. At once, or after a grace in which nobody is granted a lock and those who hold one
     * keep it. All applications with the same key prefix have to agree. Not with a Redis Cluster.
     */
    @WithDefault("at-once")
    AfterFailover afterFailover();

    /**
     * With {@code quarkus.lock.redis.after-failover=grace} or {@code quarkus.lock.redis.quorum}, the longest lease of any lock
     * with this key prefix, in all applications: a grace lasts that long, and a little longer, and so does the time for which a
     * server of a quorum takes part in nothing after it was started or lost its data. A longer lease is refused, and with grace
     * also a longer time for which a name is to stay taken.
     */
    @WithDefault("30s")
    Duration longestLease();

    /** What happens after a Redis may have lost grants. */
    enum AfterFailover {
        /** Locks are granted at once: also one that somebody holds, who does not know yet that the grant is lost. */
        AT_ONCE,
        /** No lock is granted until the longest lease is over. Holders say meanwhile what they have, and keep it. */
        GRACE
    }

    /**
     * How long Redis keeps the record of a name after its last use. It keeps fencing tokens rising even when the server's
     * clock is set back meanwhile. With {@code quarkus.lock.redis.quorum} it is the longest lease at least, as the clocks of
     * the servers may differ by that.
     */
    @WithDefault("60s")
    Duration retention();
}
