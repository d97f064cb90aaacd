package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** All settings that cannot work are rejected together at start, with their full property names. */
class BadOverridesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Readers.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{id}\".lease", "5ms")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{id}\".max-hold", "0")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"readers\".hold-at-least", "1m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"readers\".linger", "16s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"some\".hold-at-least", "0")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"twice\".lease", "5m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.twice.wait", "1s")
            .assertException(failure -> assertThat(failure).hasMessageNotContaining("\"some\"").hasMessageContainingAll(
                    "quarkus.lock.overrides.\"twice\".* and quarkus.lock.overrides.twice.* are two spellings of one key",
                    "quarkus.lock.overrides.\"order-{id}\".lease: lease must be between 1 second and 24 hours",
                    "quarkus.lock.overrides.\"order-{id}\".max-hold: max-hold must be positive",
                    "quarkus.lock.overrides.\"readers\".hold-at-least: only an exclusive lock can keep the name after its "
                            + "release, and this one has mode = SHARED",
                    "Readers.read", "quarkus.lock.overrides.\"readers\".linger (PT16S) must be at most half of the lease "
                            + "(PT30S): shorten the one, or raise the other"));

    @Test
    void fault508_mixedSpellingsOfATemplateAreRejected() {
        Assertions.fail();
    }

    @Test
    void doesNotStart() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Readers {

        @Locked(value = "readers", mode = LockMode.SHARED)
        void read() {
        }

        @Locked(value = "some", limit = 2)
        void some() {
        }
    }
}
