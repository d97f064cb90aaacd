package io.quarkiverse.lock.it.redis;

import static io.quarkiverse.lock.it.redis.Calls.number;
import static io.quarkiverse.lock.it.redis.Calls.post;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

/** A manager beside the default one. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
class NamedManagerTest {

    @Test
    void hasItsOwnConfiguration() {
        assertThat(number(post("/patient/configured/valid-for"))).isBetween(560L, 600L);
    }

    @Test
    void isPickedByTheAnnotation() {
        assertThat(number(post("/patient/annotated/by-annotation"))).isBetween(560L, 600L);
    }

    @Test
    void sharesItsLocksWithTheDefaultOne() {
        assertThat(post("/patient/shared/against-standard").asString()).isEqualTo("true");
    }
}
