package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A private method cannot be locked, also where the container was told not to mind. */
class PrivateMethodTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .overrideConfigKey("quarkus.arc.fail-on-intercepted-private-method", "false")
            .assertException(failure -> assertThat(failure).hasMessageContainingAll(
                    "[class=" + Orders.class.getName() + ", method=hidden] @Locked has no effect on a private method",
                    "method=hiddenStatic] @Locked has no effect"));

    @Test
    void doesNotBuild() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        void pay() {
            hidden();
            hiddenStatic();
        }

        @Locked
        private void hidden() {
        }

        @Locked
        private static void hiddenStatic() {
        }
    }
}
