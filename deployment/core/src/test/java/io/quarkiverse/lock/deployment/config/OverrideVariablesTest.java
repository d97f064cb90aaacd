package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** An id lets environment variables address a method whose template they cannot spell. */
class OverrideVariablesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Order.class, Environment.class, Environment.OfIds.class)
                    .addAsServiceProvider(ConfigSource.class, Environment.OfIds.class)
                    // variables can change a template that another source names
                    .addAsResource(new StringAsset("""
                            quarkus.lock.overrides."order-{order.id}".lease=40s
                            quarkus.lock.overrides."stock-{order.id}".lease=50s
                            """), "application.properties"))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Test
    void fault128_variablesAddressTemplateById() {
        assertThat(orders.pay(new Order(1))).isBetween(1L, 5L);
    }

    @Test
    void fault128_templateIsAKeyAlongsideItsId() {
        assertThat(orders.sell(new Order(1))).isBetween(3L, 8L);
    }

    public record Order(int id) {
    }

    @ApplicationScoped
    public static class Orders {

        @Inject
        LockManager locks;

        @Locked(value = "order-{order.id}", id = "pay")
        long pay(Order order) {
            return locks.held().get(0).validFor().toSeconds();
        }

        @Locked(value = "stock-{order.id}", id = "sell")
        long sell(Order order) {
            return locks.held().get(0).validFor().toSeconds();
        }
    }
}
