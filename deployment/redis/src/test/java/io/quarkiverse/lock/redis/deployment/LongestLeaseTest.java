package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A lease longer than any grace, with what is added to it, is refused when the application starts. */
class LongestLeaseTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://localhost:1")
            .overrideRuntimeConfigKey("quarkus.lock.redis.after-failover", "grace")
            .overrideRuntimeConfigKey("quarkus.lock.lease", "25s")
            .overrideRuntimeConfigKey("quarkus.lock.after-loss-delay", "6s")
            .withEmptyApplication()
            .assertException(e -> assertThat(e).hasStackTraceContaining(
                    "quarkus.lock.lease (25s, with quarkus.lock.after-loss-delay 31s) is longer than the longest that the lock "
                            + "backend can keep (30s)"));

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
