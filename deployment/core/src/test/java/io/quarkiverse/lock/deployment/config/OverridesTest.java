package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkus.test.QuarkusUnitTest;

/** Operators change single locks when the application starts, whatever the annotation says. */
class OverridesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Order.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "60s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{order.id}\".lease", "5s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{order.id}\".wait", "0")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"order-{order.id}\".on-lost", "notify")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"" + Orders.class.getName() + ".unnamed\".max-hold", "7m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"" + Orders.class.getName() + ".unnamed\".lease", "40s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"ordr-{order.id}\".lease", "5s")
            .setLogRecordPredicate(record -> record.getMessage().contains("changes nothing"))
            .assertLogRecords(records -> {
                assertThat(records).hasSize(1);
                assertThat(String.format(records.get(0).getMessage(), records.get(0).getParameters()))
                        .contains("quarkus.lock.overrides.\"ordr-{order.id}\".*", "\"order-{order.id}\"",
                                Orders.class.getName() + ".unnamed")
                        .doesNotContain("quarkus.lock.overrides.\"order-{order.id}\"");
            });

    @Inject
    LockManager locks;

    @Inject
    Orders orders;

    @Test
    void leaseOfOneTemplateIsOverridden() {
        assertThat(orders.pay(new Order(1))).isBetween(1L, 5L);
        assertThat(orders.untouched()).isBetween(10L, 20L);
        assertThat(orders.unnamed()).isBetween(25L, 40L);
    }

    @Test
    void waitOfOneTemplateIsOverridden() {
        try (LockHandle hold = locks.lock("order-2").acquire()) {
            assertThatThrownBy(() -> orders.pay(new Order(2))).isInstanceOf(LockBusyException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void onLostOfOneTemplateIsOverridden() {
        assertThat(orders.pay(new Order(-3))).isZero();
        assertThatThrownBy(() -> orders.lost()).isInstanceOf(LockLostException.class);
    }

    public record Order(int id) {
    }

    @ApplicationScoped
    public static class Orders {

        @Inject
        LockManager locks;

        @Locked(value = "order-{order.id}", lease = "20s", onLost = OnLost.FAIL)
        long pay(Order order) {
            if (order.id() < 0) {
                locks.forceRelease("order-" + order.id());
                return 0;
            }
            return locks.held().get(0).validFor().toSeconds();
        }

        @Locked(value = "untouched", lease = "20s")
        long untouched() {
            return locks.held().get(0).validFor().toSeconds();
        }

        @Locked(value = "lost")
        void lost() {
            locks.forceRelease("lost");
        }

        @Locked(lease = "20s")
        long unnamed() {
            return locks.held().get(0).validFor().toSeconds();
        }
    }
}
