package io.quarkiverse.lock.redis.deployment;

import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** The Redis to start for development and tests. */
@ConfigMapping(prefix = "quarkus.lock.redis.devservices")
@ConfigRoot(phase = ConfigPhase.BUILD_TIME)
public interface RedisDevServicesConfig {

    /** Which servers there are, and how they are connected. */
    enum Topology {
        /** One server, started by the Redis client's dev service. */
        SINGLE,
        /** A master, a replica and three sentinels. */
        SENTINEL,
        /** A cluster of three masters. */
        CLUSTER
    }

    /**
     * The servers to start in dev mode and in tests: {@code single} for one server, started by the Redis client's own dev
     * service; {@code sentinel} for a master, a replica and three sentinels; {@code cluster} for three nodes. The last two
     * run in one container and need {@code quarkus.redis.devservices.enabled=false}. If you shut down a server to see what
     * happens, it restarts after five seconds; a master with sentinels restarts only after its replica has taken over, if
     * the replica is reachable. Nothing is started when {@code quarkus.redis.hosts} is set.
     */
    @WithDefault("single")
    Topology topology();

    /**
     * The container image for {@code sentinel} and {@code cluster}. It must contain {@code redis-server} and
     * {@code redis-cli}.
     */
    @ConfigDocDefault("redis:7")
    Optional<String> imageName();
}
