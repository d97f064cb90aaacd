package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** A setting that makes no sense for a manager whose locks live in transactions is not silently ignored. */
@FullBuild
class MeaninglessDefaultsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideConfigKey("quarkus.lock.managers.orders.backend", "jpa")
            .overrideConfigKey("quarkus.lock.managers.right.backend", "jpa")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:defaults;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .overrideRuntimeConfigKey("quarkus.lock.renew", "false")
            .overrideRuntimeConfigKey("quarkus.lock.max-hold", "1m")
            .overrideRuntimeConfigKey("quarkus.lock.lease", "9s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.orders.renew", "true")
            .overrideRuntimeConfigKey("quarkus.lock.managers.orders.max-hold", "2m")
            .overrideRuntimeConfigKey("quarkus.lock.linger", "1s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.right.wait", "2s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.right.linger", "0")
            .assertException(failure -> assertThat(failure).hasMessageContainingAll(
                    "quarkus.lock.renew means nothing for locks that live as long as their transaction",
                    "quarkus.lock.max-hold means nothing for locks that live as long as their transaction",
                    "quarkus.lock.linger means nothing for locks that live as long as their transaction",
                    "quarkus.lock.managers.orders.renew means nothing",
                    "quarkus.lock.managers.orders.max-hold means nothing",
                    "quarkus.transaction-manager.default-transaction-timeout", "quarkus.lock.jpa.strategy=lease")
                    .hasMessageNotContainingAny("managers.right", "quarkus.lock.lease"));

    @Inject
    @LockManagerName("orders")
    LockManager orders;

    @Inject
    @LockManagerName("right")
    LockManager right;

    @Test
    void doesNotStart() {
        Assertions.fail();
    }
}
