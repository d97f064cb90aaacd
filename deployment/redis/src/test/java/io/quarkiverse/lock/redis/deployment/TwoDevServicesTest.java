package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** The servers of a topology replace the client's own dev service, which must be disabled. */
class TwoDevServicesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "true"))
            .setAfterAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "false"))
            .overrideConfigKey("quarkus.lock.redis.devservices.topology", "sentinel")
            .assertException(failure -> assertThat(failure)
                    .hasStackTraceContaining("quarkus.lock.redis.devservices.topology=sentinel")
                    .hasStackTraceContaining("set quarkus.redis.devservices.enabled=false as well"))
            .withEmptyApplication();

    @Test
    void doesNotBuild() {
        fail("It was built");
    }
}
