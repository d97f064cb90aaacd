package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Quarkus keeps a dev service over a live reload if its name and its own properties are what they were. */
class DevServiceNameTest {

    @Test
    void isOfTheClient() {
        assertThat(RedisDevServicesProcessor.serviceName("<default>", false)).isEqualTo("<default>");
    }

    @Test
    void isAnotherOneForServersThatAreStartedInAnotherWay() {
        assertThat(RedisDevServicesProcessor.serviceName("<default>", true)).isNotEqualTo("<default>");
    }
}
