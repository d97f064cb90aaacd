package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** The application does not start with values that cannot work; each is reported with its property. */
class BadConfigurationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideRuntimeConfigKey("quarkus.lock.wait", "-1s")
            .overrideRuntimeConfigKey("quarkus.lock.lease", "500ms")
            .overrideRuntimeConfigKey("quarkus.lock.max-hold", "0s")
            .overrideRuntimeConfigKey("quarkus.lock.slice", "-1s")
            .overrideRuntimeConfigKey("quarkus.lock.linger", "90s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.\"a.b\".linger", "1500ms")
            .overrideRuntimeConfigKey("quarkus.lock.managers.orders.linger", "-1s")
            .overrideRuntimeConfigKey("quarkus.lock.margin", "1500ms")
            .overrideRuntimeConfigKey("quarkus.lock.after-loss-delay", "25h")
            .overrideConfigKey("quarkus.lock.managers.orders.lease", "25h")
            .overrideConfigKey("quarkus.lock.managers.\"a.b\".lease", "2s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.orders.wait", "-2s")
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "quarkus.lock.slice must not be negative, but is PT-1S")
                    .hasStackTraceContaining("quarkus.lock.wait: wait must not be negative, but is PT-1S")
                    .hasStackTraceContaining("quarkus.lock.lease: lease must be between 1 second and 24 hours, but is PT0.5S")
                    .hasStackTraceContaining("quarkus.lock.max-hold: max-hold must be positive")
                    .hasStackTraceContaining("quarkus.lock.after-loss-delay must be between 0 and 24 hours, but is PT25H")
                    .hasStackTraceContaining("quarkus.lock.managers.orders.lease: lease must be between")
                    .hasStackTraceContaining("quarkus.lock.managers.orders.wait: wait must not be negative, but is PT-2S")
                    .hasStackTraceContaining("quarkus.lock.managers.orders.linger: linger must be between 0 and 12 hours")
                    .hasStackTraceContaining("quarkus.lock.managers.\"a.b\".linger (PT1.5S) must be at most half of "
                            + "quarkus.lock.managers.\"a.b\".lease (PT2S): shorten the one, or raise the other")
                    .hasStackTraceContaining("quarkus.lock.margin (PT1.5S) must be at most half of "
                            + "quarkus.lock.managers.\"a.b\".lease (PT2S): shorten the one, or raise the other"));

    @Test
    void doesNotStart() {
        Assertions.fail();
    }
}
