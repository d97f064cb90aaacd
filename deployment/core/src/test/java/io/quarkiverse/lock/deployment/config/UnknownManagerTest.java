package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkus.test.QuarkusUnitTest;

/** A manager that is configured only at start does not exist, and the log says so. */
class UnknownManagerTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.orders.lease", "20s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.orders.wait", "1s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.ordres.lease", "2m")
            .setLogRecordPredicate(record -> record.getMessage().contains("changes nothing"))
            .assertLogRecords(records -> assertThat(records).singleElement()
                    .satisfies(record -> assertThat(String.format(record.getMessage(), record.getParameters()))
                            .startsWith("quarkus.lock.managers.ordres.* changes nothing").endsWith("there are: orders")));

    @Inject
    @LockManagerName("orders")
    LockManager locks;

    @Test
    void fault345_settingsOfUnknownManagerAreReported() {
        locks.lock("a").acquire().close(); // it starts anyway
    }
}
