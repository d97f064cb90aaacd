package io.quarkiverse.lock.redis.deployment;

import java.util.List;

import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.redis.quorum.QuorumOptions;
import io.quarkiverse.lock.redis.runtime.RedisLockBuildConfig;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageProxyDefinitionBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.redis.deployment.client.RequestedRedisClientBuildItem;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.runtime.configuration.ConfigurationException;

/** What the backend needs from the Redis client and from a native image. */
class RedisLockProcessor {

    static final String FEATURE = "lock-redis";
    static final String BACKEND = "redis";

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem(FEATURE);
    }

    /** The clients of locks, even if nothing else in the application uses them; none if all locks are elsewhere. */
    @BuildStep
    void clients(RedisLockBuildConfig config, LockManagersBuildItem managers,
            BuildProducer<RequestedRedisClientBuildItem> clients) {
        if (!managers.uses(BACKEND)) {
            return;
        }
        if (config.quorum().isEmpty()) {
            clients.produce(new RequestedRedisClientBuildItem(config.clientName()));
            return;
        }
        List<String> quorum = config.quorum().get();
        try {
            QuorumOptions.check(quorum);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException(e.getMessage(), e);
        }
        quorum.forEach(name -> clients.produce(new RequestedRedisClientBuildItem(name)));
    }

    /** For the clients of locks, some of whose settings are not the application's. */
    @BuildStep
    NativeImageProxyDefinitionBuildItem clientConfig() {
        return new NativeImageProxyDefinitionBuildItem(RedisClientConfig.class.getName());
    }

    @BuildStep
    NativeImageResourcePatternsBuildItem scripts() {
        return NativeImageResourcePatternsBuildItem.builder().includeGlob("io/quarkiverse/lock/redis/*.lua").build();
    }
}
