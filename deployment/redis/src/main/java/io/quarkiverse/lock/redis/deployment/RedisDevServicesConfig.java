package io.quarkiverse.lock.redis.deployment;

import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** The Redis that is started for development and tests. */
@ConfigMapping(prefix = "quarkus.lock.redis.devservices")
@ConfigRoot(phase = ConfigPhase.BUILD_TIME)
public interface RedisDevServicesConfig {

    /** How many servers, and how they belong together. */
    enum Topology {
        /** One server, by the dev service of the Redis client. */
        SINGLE,
        /** A master, a replica and three sentinels. */
        SENTINEL,
        /** A cluster of three masters. */
        CLUSTER
    }

    /**
     * What is started in dev mode and in tests: {@code single} for the one server of the Redis client's own dev service,
     * {@code sentinel} for a master with a replica and three sentinels, or {@code cluster} for three nodes. The last two run
     * in one container, and need {@code quarkus.redis.devservices.enabled=false}. A server that is shut down, to see what
     * happens, is started again after five seconds; a master with sentinels only when its replica has taken its place, if
     * that can be reached. Nothing is started when {@code quarkus.redis.hosts} is set.
     */
    @WithDefault("single")
    Topology topology();

    /**
     * The image of the container of {@code sentinel} and {@code cluster}: any with {@code redis-server} and {@code redis-cli}.
     */
    @ConfigDocDefault("redis:7")
    Optional<String> imageName();
}
