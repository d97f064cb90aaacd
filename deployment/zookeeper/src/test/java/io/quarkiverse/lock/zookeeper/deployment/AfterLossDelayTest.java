package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** The delay is subtracted from the session timeout: an application does not start if nothing is left for holders. */
class AfterLossDelayTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "127.0.0.1:1")
            .overrideRuntimeConfigKey("quarkus.lock.after-loss-delay", "19s")
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "quarkus.lock.zookeeper.session-timeout=PT30S is too short for quarkus.lock.after-loss-delay=PT19S"))
            .withEmptyApplication();

    @Test
    void doesNotStart() {
        fail("It started");
    }
}
