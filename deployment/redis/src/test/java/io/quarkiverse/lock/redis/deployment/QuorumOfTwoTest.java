package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Two servers are no better than one: each is needed for a majority. */
class QuorumOfTwoTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.lock.redis.quorum", "a,b")
            .withEmptyApplication()
            .assertException(e -> assertThat(e)
                    .hasStackTraceContaining("quarkus.lock.redis.quorum=a,b names 2 Redis clients")
                    .hasStackTraceContaining("Name 3"));

    @Test
    void doesNotBuild() {
        throw new AssertionError("it was built");
    }
}
