package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;

/** Clients of the same server do not form a quorum, even if they use different databases. */
class QuorumOfOneServerTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.lock.redis.quorum", "a,b,c")
            .overrideRuntimeConfigKey("quarkus.redis.a.hosts", "redis://127.0.0.1:1")
            .overrideRuntimeConfigKey("quarkus.redis.b.hosts", "redis://127.0.0.1:2")
            .overrideRuntimeConfigKey("quarkus.redis.c.hosts", "redis://127.0.0.1:1/2")
            .withEmptyApplication()
            .assertException(e -> assertThat(e)
                    .hasStackTraceContaining("quarkus.redis.a.hosts and quarkus.redis.c.hosts are the same server"));

    @Test
    @Fault(526)
    void fault526_doesNotStart() {
        throw new AssertionError("it was started");
    }
}
