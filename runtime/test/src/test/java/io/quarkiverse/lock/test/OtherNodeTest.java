package io.quarkiverse.lock.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** The other node has the application's configuration. */
class OtherNodeTest {

    private static final LockOptions UNRENEWED = LockOptions.DEFAULTS.withRenew(false);

    private final MovableTime time = new MovableTime();
    private OtherNode other;

    /** @param settings name without the prefix, and value */
    static LockRuntimeConfig configured(Map<String, String> settings) {
        Map<String, String> properties = new HashMap<>();
        settings.forEach((name, value) -> properties.put("quarkus.lock." + name, value));
        return new SmallRyeConfigBuilder().addDiscoveredConverters().withMapping(LockRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(properties, "test", 100))
                .build().getConfigMapping(LockRuntimeConfig.class);
    }

    private LockManager configuredWith(Map<String, String> settings) {
        other = new OtherNode(LocksElsewhereTest.instance(LocksElsewhereTest.local(time)), configured(settings), time);
        return other.locks();
    }

    @AfterEach
    void stop() {
        other.stop();
        time.stop();
    }

    @Test
    void fault541_otherNodeUsesConfiguredAfterLossDelay() {
        LockManager locks = configuredWith(Map.of("lease", "5s", "after-loss-delay", "1h"));
        LockHandle dead = locks.lock("order-1", UNRENEWED).acquire();
        time.advance(Duration.ofSeconds(5));
        assertThat(dead.isValid()).isFalse();
        assertThat(locks.lock("order-1").tryAcquire(Duration.ZERO)).as("during the after-loss delay").isEmpty();
        time.advance(Duration.ofHours(1));
        locks.lock("order-1").acquire().close();
    }

    @Test
    void fault541_otherNodeUsesConfiguredFencingFloor() {
        LockManager locks = configuredWith(Map.of("fencing-floor", "4611686018427387903"));
        try (LockHandle hold = locks.lock("order-1").acquire()) {
            assertThat(hold.fencingToken()).isGreaterThan(4611686018427387903L);
        }
    }

    @Test
    void fault541_otherNodeUsesConfiguredMargin() {
        LockManager locks = configuredWith(Map.of("lease", "10s", "margin", "4s"));
        try (LockHandle hold = locks.lock("order-1", UNRENEWED).acquire()) {
            assertThat(hold.validFor()).isLessThanOrEqualTo(Duration.ofSeconds(6));
        }
    }

    /** Only the test ends the other node's holds. */
    @Test
    void otherNodeHoldsLockUntilClosed() {
        LockManager locks = configuredWith(Map.of("renew", "false", "max-hold", "1m", "linger", "5s"));
        LockHandle hold = locks.lock("order-1").acquire();
        time.advance(Duration.ofHours(1));
        assertThat(hold.isValid()).isTrue();
        hold.close();
        assertThat(locks.inspect("order-1")).isEmpty();
    }
}
