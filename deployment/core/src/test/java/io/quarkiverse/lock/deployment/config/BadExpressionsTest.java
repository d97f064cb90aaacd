package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** The values of expressions in an annotation are checked when the application starts. */
class BadExpressionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("my.lease", "1ms")
            .overrideRuntimeConfigKey("my.part", "order-{id}")
            .overrideRuntimeConfigKey("my.path", "{order.id}")
            .overrideRuntimeConfigKey("my.braces", "{shop}-{i}")
            .overrideRuntimeConfigKey("quarkus.lock.margin", "2s")
            .assertException(failure -> {
                has(failure, "noSuchProperty: @Locked(\"${no.such}-{id}\"): property 'no.such' is not set");
                has(failure, "shortLease: @Locked(lease = \"${my.lease}\"): lease must be between 1 second and 24 hours");
                has(failure, "badWait: @Locked(waitFor = \"${my.wait:soon}\"): 'soon' is not a duration");
                has(failure, "lessThanTwoMargins: quarkus.lock.margin (PT2S) must be at most half of the lease (PT3S)");
                has(failure, "part: @Locked(\"${my.part}\"): 'order-{id}' contains {id}, which is not replaced there");
                has(failure, "path: @Locked(\"shop-${my.path}\"): '{order.id}' contains {order.id}, which is not replaced");
                assertThat(failure).message().doesNotContain("Orders.braces");
            });

    private static void has(Throwable failure, String text) {
        assertThat(failure).hasStackTraceContaining(Orders.class.getName() + '.' + text);
    }

    @Test
    void fault491_invalidExpressionValuesAreRejected() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked(value = "${my.part}", lease = "5s")
        void part(String id) {
        }

        @Locked(value = "shop-${my.path}", lease = "5s")
        void path(Object order) {
        }

        @Locked(value = "${my.braces}-{id}", lease = "5s")
        void braces(String id) {
        }

        @Locked("${no.such}-{id}")
        void noSuchProperty(String id) {
        }

        @Locked(lease = "${my.lease}")
        void shortLease() {
        }

        @Locked(waitFor = "${my.wait:soon}")
        void badWait() {
        }

        @Locked(lease = "3s")
        void lessThanTwoMargins() {
        }
    }
}
