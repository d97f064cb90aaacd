package io.quarkiverse.lock.deployment.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkus.test.QuarkusUnitTest;

/** In tests, a warning reports methods that take locks in opposite orders. */
class OppositeOrdersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Warehouse.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals(LockOrders.class.getName()))
            .assertLogRecords(records -> {
                assertThat(records).extracting(record -> record.getParameters()[0] + " and " + record.getParameters()[1])
                        .containsExactly("stock-{item} and order-{id}", "returns-{id} and stock-{item}");
                assertThat(records.get(0).getThrown()).hasStackTraceContaining("Warehouse.order")
                        .hasStackTraceContaining("Warehouse.refill");
            });

    @Inject
    Warehouse warehouse;

    @Test
    void oppositeOrdersAreReported() {
        warehouse.order(1, "pen");
        warehouse.order(2, "ink");
        warehouse.refill("pen", 3);
        warehouse.refill("pen", 4);
        warehouse.check("ink", 3).await().indefinitely();
        warehouse.giveBack(3, "ink").await().indefinitely();
    }
}
