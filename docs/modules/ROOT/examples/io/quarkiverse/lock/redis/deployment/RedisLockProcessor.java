package io.quarkiverse.lock.redis.deployment;

import java.util.Set;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.redis.runtime.RedisLockBackendProvider;
import io.quarkiverse.lock.redis.runtime.RedisLockBuildConfig;
import io.quarkiverse.lock.spi.Feature;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageProxyDefinitionBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.redis.deployment.client.RequestedRedisClientBuildItem;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;

/** Offers Redis as a place for locks. */
class RedisLockProcessor {

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem("lock-redis");
    }

    // tag::backend[]
    @BuildStep
    LockBackendBuildItem backend() {
        return new LockBackendBuildItem("redis", 100,
                Set.of(Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT, Feature.HOLD_AT_LEAST,
                        Feature.AFTER_LOSS_DELAY),
                RedisLockBackendProvider.class.getName());
    }
    // end::backend[]

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
