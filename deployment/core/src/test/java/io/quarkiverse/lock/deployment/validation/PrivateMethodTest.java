package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A private method cannot be locked; that is reported with the other errors. */
class PrivateMethodTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> assertThat(failure).hasMessageContainingAll(
                    "[class=" + Orders.class.getName() + ", method=hidden] @Locked has no effect on a private method",
                    "method=hiddenStatic] @Locked has no effect",
                    "method=wrong] @Locked(\"{id}\"): {id}: 'id' is not a parameter of the method"));

    @Test
    void fault129_privateMethodDoesNotHideOtherErrors() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked
        private void hidden() {
        }

        @Locked
        private static void hiddenStatic() {
        }

        @Locked("{id}")
        void wrong() {
        }
    }
}
