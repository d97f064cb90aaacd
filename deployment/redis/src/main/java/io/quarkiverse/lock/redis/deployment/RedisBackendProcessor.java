package io.quarkiverse.lock.redis.deployment;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.quorum.QuorumLockBackend;
import io.quarkiverse.lock.redis.runtime.RedisLockBackendProvider;
import io.quarkiverse.lock.redis.runtime.RedisLockBuildConfig;
import io.quarkus.deployment.annotations.BuildStep;

/** Offers Redis as a place for locks. */
class RedisBackendProcessor {

    @BuildStep
    LockBackendBuildItem backend(RedisLockBuildConfig config) {
        return new LockBackendBuildItem("redis", 100, config.quorum().isPresent() ? QuorumLockBackend.FEATURES
                : RedisLockBackend.FEATURES, RedisLockBackendProvider.class.getName());
    }
}
