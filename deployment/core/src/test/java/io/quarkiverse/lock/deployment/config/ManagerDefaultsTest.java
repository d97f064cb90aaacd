package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** A named manager behaves like the default one, except for its own settings; annotations and options come first. */
class ManagerDefaultsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.lease", "60s")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "0")
            .overrideConfigKey("quarkus.lock.managers.orders.lease", "20s")
            .overrideConfigKey("my.lease", "5s");

    @Inject
    LockManager locks;

    @Inject
    @LockManagerName("orders")
    LockManager orderLocks;

    @Inject
    Orders orders;

    @Test
    void leaseComesFromMostSpecificSetting() {
        assertThat(validFor(locks, LockOptions.DEFAULTS)).isBetween(40L, 60L);
        assertThat(validFor(orderLocks, LockOptions.DEFAULTS)).isBetween(11L, 20L);
        assertThat(validFor(orderLocks, LockOptions.DEFAULTS.withLease(Duration.ofSeconds(10)))).isBetween(5L, 10L);
        assertThat(orders.byDefault()).isBetween(11L, 20L);
        assertThat(orders.annotated()).isBetween(1L, 5L);
    }

    @Test
    void managersOfOneBackendShareItsLocks() {
        try (LockHandle hold = locks.lock("shared").acquire()) {
            assertThat(hold.isValid()).isTrue();
            assertThatThrownBy(() -> orderLocks.lock("shared").acquire()).isInstanceOf(LockBusyException.class);
        }
    }

    private static long validFor(LockManager locks, LockOptions options) {
        try (LockHandle hold = locks.lock("x", options).acquire()) {
            return hold.validFor().toSeconds();
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Inject
        LockManager locks;

        private long remaining() {
            return locks.held().get(0).validFor().toSeconds();
        }

        @Locked(manager = "orders")
        long byDefault() {
            return remaining();
        }

        @Locked(manager = "orders", lease = "${my.lease:9s}")
        long annotated() {
            return remaining();
        }
    }

}
