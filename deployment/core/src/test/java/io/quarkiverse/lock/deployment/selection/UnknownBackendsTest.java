package io.quarkiverse.lock.deployment.selection;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** All unknown backends are reported at once, together with all errors of locked methods. */
class UnknownBackendsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "redsi")
            .overrideConfigKey("quarkus.lock.managers.orders.backend", "zokeeper")
            .overrideConfigKey("quarkus.lock.managers.stock.lease", "5s")
            .assertException(failure -> assertThat(failure).hasMessageContainingAll(
                    "quarkus.lock.backend is 'redsi', but the application has no such lock backend; add the extension",
                    "quarkus.lock.managers.orders.backend is 'zokeeper'",
                    "method=wrong] @Locked(\"{id}\"): {id}: 'id' is not a parameter of the method")
                    .message().doesNotContain("local").doesNotContain("method=fine"));

    @Test
    void fault129_unknownBackendsDoNotHideOtherErrors() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked("{id}")
        void wrong() {
        }

        @Locked(manager = "stock")
        void fine() {
        }
    }
}
