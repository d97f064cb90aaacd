package io.quarkiverse.lock.redis.runtime;

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
}
