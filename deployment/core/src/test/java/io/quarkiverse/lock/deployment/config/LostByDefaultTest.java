package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** An annotation may leave the reaction to a loss to the configuration, which has no further default. */
class LostByDefaultTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.managers.orders.lease", "20s")
            .overrideRuntimeConfigKey("quarkus.lock.on-lost", "default")
            .overrideRuntimeConfigKey("quarkus.lock.managers.orders.on-lost", "default")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{id}\".on-lost", "default")
            .assertException(failure -> {
                for (String property : List.of("quarkus.lock.on-lost", "quarkus.lock.managers.orders.on-lost",
                        "quarkus.lock.overrides.\"order-{id}\".on-lost")) {
                    assertThat(failure).hasStackTraceContaining("property " + property + " with the config value \"default\"");
                }
                assertThat(failure).hasStackTraceContaining("allowed values: fail,interrupt,notify");
            });

    @Test
    void doesNotStart() {
        Assertions.fail();
    }
}
