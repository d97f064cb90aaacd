package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class ShortMarginTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.margin", "20ms")
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "quarkus.lock.margin must be at least 50ms, since clocks are not accurate enough for less, but is PT0.02S"));

    @Test
    void fault381_tooShortMarginIsRejected() {
        Assertions.fail("It has started");
    }
}
