package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/**
 * For a lock that lives in a transaction, the configuration may not set what the annotation may not set. What the manager
 * inherits is ignored.
 */
class MeaninglessOverridesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Stocks.class))
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.stocks.backend", "jpa")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:overrides;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .overrideRuntimeConfigKey("quarkus.lock.linger", "5s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.stocks.lease", "9s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"stock\".renew", "false")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"stock\".max-hold", "1m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"stock\".wait", "5s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"stock\".hold-at-least", "0")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"stock\".linger", "0")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"kept\".linger", "1s")
            .assertException(failure -> assertThat(failure).hasMessageContainingAll(
                    "Stocks",
                    "quarkus.lock.overrides.\"stock\".renew means nothing for a lock that lives as long as its transaction",
                    "quarkus.lock.overrides.\"stock\".max-hold means nothing for a lock that lives as long as its transaction",
                    "quarkus.lock.overrides.\"kept\".linger means nothing for a lock that lives as long as its transaction",
                    "quarkus.transaction-manager.default-transaction-timeout", "quarkus.lock.jpa.strategy=lease")
                    .hasMessageNotContainingAny("\"stock\".wait", "hold-at-least", "\"stock\".linger",
                            "must be at most half"));

    @Test
    void doesNotStart() {
        Assertions.fail();
    }

    @Test
    @Fault(540)
    void fault540_inheritedLingerDoesNotRejectShortLease() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Stocks {

        @Locked(value = "stock", manager = "stocks")
        void count() {
        }

        @Locked(value = "kept", manager = "stocks")
        void keep() {
        }

        @Locked(value = "inherited", manager = "stocks")
        void inherit() {
        }
    }
}
