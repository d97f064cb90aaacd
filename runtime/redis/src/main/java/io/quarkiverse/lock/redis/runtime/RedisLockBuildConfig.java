package io.quarkiverse.lock.redis.runtime;

import java.util.List;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Which Redis keeps the locks. */
@ConfigMapping(prefix = "quarkus.lock.redis")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface RedisLockBuildConfig {

    /**
     * The Redis client whose configuration is used: {@code quarkus.redis.<client-name>.*}, or {@code quarkus.redis.*} for
     * the default client. Locks use connections of their own, two for each JVM, and leave the client's pool alone.
     */
    @WithDefault("<default>")
    String clientName();

    /**
     * The Redis clients that form a quorum: an odd number, at least 3, each for an independent server that is not a replica
     * of another. A lock counts once a majority of them has granted it, and survives whatever happens to the others.
     * Replaces {@code quarkus.lock.redis.client-name}. Locks are then exclusive: no {@code LockMode.SHARED} and no limits.
     */
    Optional<List<String>> quorum();
}
