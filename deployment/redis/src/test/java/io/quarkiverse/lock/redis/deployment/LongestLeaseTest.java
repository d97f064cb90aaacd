package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A lease that, with its additions, is longer than any grace is rejected at startup. */
class LongestLeaseTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://localhost:1")
            .overrideRuntimeConfigKey("quarkus.lock.redis.after-failover", "grace")
            .overrideRuntimeConfigKey("quarkus.lock.lease", "25s")
            .overrideRuntimeConfigKey("quarkus.lock.after-loss-delay", "6s")
            .withEmptyApplication()
            .assertException(e -> assertThat(e).hasStackTraceContaining(
                    "quarkus.lock.lease (25s; 31s together with quarkus.lock.after-loss-delay) is longer than the longest "
                            + "lease that the lock backend keeps (30s): shorten it, or raise the backend's longest-lease"));

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
