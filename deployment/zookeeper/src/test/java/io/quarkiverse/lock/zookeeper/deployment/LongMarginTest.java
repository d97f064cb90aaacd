package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** The margin is a part of the session's lease, not of the configured one: the engine would use half of it. */
@FullBuild
class LongMarginTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "127.0.0.1:1")
            .overrideRuntimeConfigKey("quarkus.lock.margin", "9501ms")
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "quarkus.lock.zookeeper.session-timeout=PT30S is too short for quarkus.lock.margin=PT9.501S")
                    .hasStackTraceContaining("less quarkus.lock.after-loss-delay: 19s"))
            .withEmptyApplication();

    @Test
    void doesNotStart() {
        fail("It started");
    }
}
