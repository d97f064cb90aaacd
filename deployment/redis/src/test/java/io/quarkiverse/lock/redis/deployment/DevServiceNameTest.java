package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.deployment.RedisDevServicesConfig.Topology;

/** Quarkus keeps a dev service over a live reload if its name and its own properties are what they were. */
class DevServiceNameTest {

    @Test
    void isOfTheClient() {
        assertThat(RedisDevServicesProcessor.serviceName("<default>", Topology.SENTINEL, false)).isEqualTo("<default>");
    }

    @Test
    void isAnotherOneForServersThatAreStartedInAnotherWay() {
        assertThat(RedisDevServicesProcessor.serviceName("<default>", Topology.SENTINEL, true)).isNotEqualTo("<default>");
    }

    @Test
    void isTheSameForAClusterWhichIsStartedInOneWay() {
        assertThat(RedisDevServicesProcessor.serviceName("<default>", Topology.CLUSTER, true)).isEqualTo("<default>");
    }
}
