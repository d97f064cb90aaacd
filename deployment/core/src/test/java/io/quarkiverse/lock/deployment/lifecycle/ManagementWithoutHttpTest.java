package io.quarkiverse.lock.deployment.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** A missing endpoint for operators is reported before somebody needs it. */
class ManagementWithoutHttpTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.management.enabled", "true")
            .assertException(failure -> assertThat(failure)
                    .hasStackTraceContaining(ConfigurationException.class.getName())
                    .hasStackTraceContaining("quarkus.lock.management.enabled=true needs")
                    .hasStackTraceContaining("in an application with an HTTP server"));

    @Test
    void applicationDoesNotBuild() {
        throw new AssertionError("The build must fail");
    }
}
