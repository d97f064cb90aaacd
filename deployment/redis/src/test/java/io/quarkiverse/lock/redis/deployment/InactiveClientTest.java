package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;

/** Locks are enabled, but the client that they need is not. */
class InactiveClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://localhost:1")
            .overrideRuntimeConfigKey("quarkus.redis.active", "false")
            .withEmptyApplication()
            .assertException(e -> assertThat(e).hasStackTraceContaining("Locks cannot be taken")
                    .hasStackTraceContaining("quarkus.redis.active=false")
                    .hasStackTraceContaining("quarkus.lock.enabled=false")
                    .hasStackTraceContaining("quarkus.lock.redis.client-name"));

    @Test
    @Fault(525)
    void fault525_startupErrorListsRemedies() {
        fail("It has started");
    }
}
