package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** What cannot work is refused at start, all of it at once, with the full properties. */
class BadOverridesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{id}\".lease", "5ms")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{id}\".max-hold", "0")
            .assertException(failure -> assertThat(failure).hasMessageContainingAll(
                    "quarkus.lock.overrides.\"order-{id}\".lease: lease must be between 1 second and 24 hours",
                    "quarkus.lock.overrides.\"order-{id}\".max-hold: max-hold must be positive"));

    @Test
    void doesNotStart() {
        Assertions.fail();
    }
}
