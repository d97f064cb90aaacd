package io.quarkiverse.lock.redis.deployment;

import io.quarkiverse.lock.redis.runtime.RedisLockBuildConfig;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageProxyDefinitionBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.redis.deployment.client.RequestedRedisClientBuildItem;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;

/** What the backend needs of the Redis client and of a native image. */
class RedisLockProcessor {

    static final String FEATURE = "lock-redis";

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem(FEATURE);
    }

    /**
     * Makes the default client's dev service start, and a named client known, also when nothing else in the application uses
     * it.
     */
    @BuildStep
    RequestedRedisClientBuildItem client(RedisLockBuildConfig config) {
        return new RequestedRedisClientBuildItem(config.clientName());
    }

    /** For clients of single nodes of a cluster. */
    @BuildStep
    NativeImageProxyDefinitionBuildItem nodes() {
        return new NativeImageProxyDefinitionBuildItem(RedisClientConfig.class.getName());
    }

    @BuildStep
    NativeImageResourcePatternsBuildItem scripts() {
        return NativeImageResourcePatternsBuildItem.builder().includeGlob("io/quarkiverse/lock/redis/*.lua").build();
    }
}
