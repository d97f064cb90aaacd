package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Clients that all lead to one server make no quorum. */
class QuorumOfOneServerTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.lock.redis.quorum", "a,b,c")
            .overrideRuntimeConfigKey("quarkus.redis.a.hosts", "redis://127.0.0.1:1")
            .overrideRuntimeConfigKey("quarkus.redis.b.hosts", "redis://127.0.0.1:2")
            .overrideRuntimeConfigKey("quarkus.redis.c.hosts", "redis://127.0.0.1:1")
            .withEmptyApplication()
            .assertException(e -> assertThat(e)
                    .hasStackTraceContaining("quarkus.redis.a.hosts and quarkus.redis.c.hosts are the same server"));

    @Test
    void doesNotStart() {
        throw new AssertionError("it was started");
    }
}
