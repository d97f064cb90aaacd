package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Invalid response settings are rejected at startup. */
class BadProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Problems.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideRuntimeConfigKey("quarkus.lock.rest.busy-status", "0")
            .overrideRuntimeConfigKey("quarkus.lock.rest.lost-status", "99999")
            .overrideRuntimeConfigKey("quarkus.lock.rest.unavailable-status", "199")
            .overrideRuntimeConfigKey("quarkus.lock.rest.retry-after", "-1s")
            .assertException(failure -> assertThat(failure)
                    .hasStackTraceContaining("quarkus.lock.rest.busy-status must be from 200 to 599, but is 0")
                    .hasStackTraceContaining("quarkus.lock.rest.lost-status must be from 200 to 599, but is 99999")
                    .hasStackTraceContaining("quarkus.lock.rest.unavailable-status must be from 200 to 599, but is 199")
                    .hasStackTraceContaining("quarkus.lock.rest.retry-after must not be negative, but is PT-1S"));

    @Test
    void fault389_invalidRestConfigFailsStartup() {
        Assertions.fail();
    }
}
