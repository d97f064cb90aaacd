package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A manager with two spellings could lose its backend. */
class SpelledTwiceAtBuildTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.managers.orders.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.\"orders\".lease", "40s")
            .assertException(failure -> assertThat(failure).hasMessageContaining(
                    "quarkus.lock.managers.\"orders\".* and quarkus.lock.managers.orders.* are two spellings of one key"));

    @Test
    void fault508_mixedSpellingsOfAManagerAreRejected() {
        Assertions.fail();
    }
}
