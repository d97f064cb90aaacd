package io.quarkiverse.lock.redis.deployment;

import java.util.Set;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.redis.runtime.RedisLockBackendProvider;
import io.quarkiverse.lock.redis.runtime.RedisLockBuildConfig;
import io.quarkiverse.lock.spi.Feature;
import io.quarkus.deployment.annotations.BuildStep;

/** Offers Redis as a place for locks. */
class RedisBackendProcessor {

    @BuildStep
    LockBackendBuildItem backend(RedisLockBuildConfig config) {
        return new LockBackendBuildItem("redis", 100, config.quorum().isPresent()
                ? Set.of(Feature.ASYNC, Feature.LEASE, Feature.HOLD_AT_LEAST, Feature.AFTER_LOSS_DELAY)
                : Set.of(Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT, Feature.HOLD_AT_LEAST,
                        Feature.AFTER_LOSS_DELAY),
                RedisLockBackendProvider.class.getName());
    }
}
