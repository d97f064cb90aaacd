package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A misspelled variable would go unnoticed if the application started. */
class BadOverrideVariablesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Environment.class, Environment.OfNothing.class)
                    .addAsServiceProvider(ConfigSource.class, Environment.OfNothing.class)
                    .addAsResource(new StringAsset("""
                            quarkus.lock.overrides."count.all".lease=5m
                            quarkus.lock.overrides.count-some.lease=5m
                            quarkus.lock.overrides."refund".lease=5m
                            """), "application.properties"))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> assertThat(failure)
                    .hasMessageContainingAll("QUARKUS_LOCK_OVERRIDES_PAI_WAIT changes nothing",
                            "QUARKUS_LOCK_OVERRIDES_PAY_WATI changes nothing", "wait, lease, renew, max-hold",
                            "QUARKUS_LOCK_OVERRIDES__STOCK__ITEM___WAIT changes nothing",
                            "_TEST_QUARKUS_LOCK_OVERRIDES_NONE_WAIT changes nothing", "There are the ids: pay", "@Locked(id")
                    .hasMessageContainingAll("QUARKUS_LOCK_OVERRIDES_COUNT_ALL_WAIT changes nothing",
                            "quarkus.lock.overrides.\"refund\".* and quarkus.lock.overrides.refund.*")
                    .message().doesNotContain("QUARKUS_LOCK_OVERRIDES_PAY_LEASE")
                    .doesNotContain("QUARKUS_LOCK_OVERRIDES_COUNT_SOME_WAIT")
                    .doesNotContain("QUARKUS_LOCK_OVERRIDES__COUNT_ALL__RENEW"));

    @Test
    void fault128_unmatchedVariableIsRejected() {
        Assertions.fail();
    }

    @Test
    void fault385_variableSpellingPropertyDifferentlyIsRejected() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked(value = "order-{id}", id = "pay")
        void pay(int id) {
        }

        @Locked(value = "refund-{id}", id = "refund")
        void refund(int id) {
        }

        @Locked("count.all")
        void countAll() {
        }

        @Locked("count-some")
        void countSome() {
        }

        @Locked("stock-{item}")
        void sell(int item) {
        }
    }
}
