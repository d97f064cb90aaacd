package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class BadFencingFloorTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.fencing-floor", "-1")
            .assertException(failure -> assertThat(failure).hasStackTraceContaining("quarkus.lock.fencing-floor=-1"));

    @Test
    void doesNotStart() {
        Assertions.fail("It has started");
    }
}
