package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** Parameters in a foreign notation are plain text, so the name is the same for all calls. */
class ForeignPartsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records)
                    .extracting(record -> record.getParameters()[1] + " " + record.getParameters()[2])
                    .containsExactlyInAnyOrder("order-#id #id", "'order-' + #order.id #order.id", "order-%s %s",
                            "order-%1$d %1$d", "order-:id :id", "stock-#id #id", "${no.such:x}-:id :id"));

    @Inject
    Orders orders;

    @Test
    void fault131_foreignPlaceholdersCauseWarnings() {
        orders.right("1");
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order-#id")
        void spring(String id) {
        }

        @Locked("'order-' + #order.id")
        void expression(String id) {
        }

        @Locked("order-%s")
        void format(String id) {
        }

        @Locked("order-%1$d")
        void position(int id) {
        }

        @Locked("order-:id")
        void named(String id) {
        }

        @Locked({ "order", "stock-#id" })
        void several(String id) {
        }

        @Locked("${no.such:x}-:id")
        void configured(String id) {
        }

        @Locked("order-#{id}-%s-:id")
        void right(String id) {
        }

        @Locked("orders:nightly")
        void separated(String id) {
        }

        @Locked
        void unnamed(String id) {
        }
    }
}
