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
     * How long one operation takes at the most: what a claim that does not wait, a renewal or a release waits for Redis.
     */
    @WithDefault("2s")
    Duration operationTimeout();

    /**
     * How long Redis keeps the record of a name after its last use. It keeps fencing tokens rising even when the server's
     * clock is set back meanwhile.
     */
    @WithDefault("60s")
    Duration retention();
}
