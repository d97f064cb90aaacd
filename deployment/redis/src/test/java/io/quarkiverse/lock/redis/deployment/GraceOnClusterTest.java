package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A grace that no script can enforce is rejected at startup. */
class GraceOnClusterTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.redis.client-type", "cluster")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://localhost:1")
            .overrideRuntimeConfigKey("quarkus.lock.redis.after-failover", "grace")
            .withEmptyApplication()
            .assertException(e -> assertThat(e)
                    .hasStackTraceContaining("quarkus.lock.redis.after-failover=grace does not work with a Redis Cluster"));

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
