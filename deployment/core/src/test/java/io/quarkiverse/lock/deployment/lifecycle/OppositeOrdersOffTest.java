package io.quarkiverse.lock.deployment.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkus.test.QuarkusUnitTest;

/** Warnings about opposite orders can be switched off. */
class OppositeOrdersOffTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Warehouse.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.deadlock-detection", "off")
            .setLogRecordPredicate(record -> record.getLoggerName().equals(LockOrders.class.getName()))
            .assertLogRecords(records -> assertThat(records).isEmpty());

    @Inject
    Warehouse warehouse;

    @Test
    void oppositeOrdersAreNotReported() {
        warehouse.order(1, "pen");
        warehouse.refill("pen", 3);
    }
}
