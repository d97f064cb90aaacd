package io.quarkiverse.lock.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** The endpoint is never on the public port. */
class NoManagementInterfaceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withEndpoint()
            .overrideConfigKey("quarkus.management.enabled", "false")
            .assertException(failure -> assertThat(failure)
                    .hasStackTraceContaining(ConfigurationException.class.getName())
                    .hasStackTraceContaining("quarkus.lock.management.enabled=true needs")
                    .hasStackTraceContaining("set quarkus.management.enabled=true"));

    @Test
    void applicationDoesNotBuild() {
        throw new AssertionError("The build must fail");
    }
}
