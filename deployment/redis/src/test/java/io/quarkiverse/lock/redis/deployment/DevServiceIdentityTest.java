package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.deployment.RedisDevServicesConfig.Topology;
import io.quarkus.devservices.crossclassloader.runtime.ComparableDevServicesConfig;
import io.quarkus.devservices.crossclassloader.runtime.DevServiceOwner;

/** Quarkus keeps a dev service across live reloads and tests if its name and properties have not changed. */
class DevServiceIdentityTest {

    private static final UUID APPLICATION = UUID.randomUUID();
    private static final Config SENTINEL = new Config(Topology.SENTINEL, Optional.empty());

    private record Config(Topology topology, Optional<String> imageName) implements RedisDevServicesConfig {
    }

    private static ComparableDevServicesConfig key(Config config, boolean grace) {
        return new ComparableDevServicesConfig(APPLICATION, new DevServiceOwner("lock-redis", "TEST", "<default>"), null,
                RedisDevServicesProcessor.identity(config, grace));
    }

    @Test
    void identityIsEqualForEqualProperties() {
        assertThat(key(SENTINEL, false)).isEqualTo(key(SENTINEL, false));
        assertThat(key(SENTINEL, true)).isEqualTo(key(SENTINEL, true));
    }

    @Test
    void identityOfSentinelDependsOnGrace() {
        assertThat(key(SENTINEL, true)).isNotEqualTo(key(SENTINEL, false));
        assertThat(key(SENTINEL, false)).isNotEqualTo(key(SENTINEL, true));
    }

    @Test
    void identityDependsOnImage() {
        assertThat(key(new Config(Topology.SENTINEL, Optional.of("redis:8")), true)).isNotEqualTo(key(SENTINEL, true));
    }

    @Test
    void identityOfClusterDoesNotDependOnGrace() {
        var cluster = new Config(Topology.CLUSTER, Optional.empty());
        assertThat(key(cluster, true)).isEqualTo(key(cluster, false));
    }
}
