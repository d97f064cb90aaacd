package io.quarkiverse.lock.redis.runtime;

import java.util.List;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Which Redis has the locks. */
@ConfigMapping(prefix = "quarkus.lock.redis")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface RedisLockBuildConfig {

    /**
     * The Redis client whose configuration is used: {@code quarkus.redis.<client-name>.*}, or {@code quarkus.redis.*} for the
     * default client. Locks have connections of their own, two for each JVM; the client's pool is not touched.
     */
    @WithDefault("<default>")
    String clientName();

    /**
     * An odd number of Redis clients, at least 3, of servers that have nothing to do with each other, no replicas of one
     * another: a lock counts when a majority of them has granted it, and survives whatever happens to the others. In place of
     * {@code quarkus.lock.redis.client-name}. Locks are exclusive then: no {@code LockMode.SHARED} and no limits.
     */
    Optional<List<String>> quorum();
}
