package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkus.test.QuarkusUnitTest;

/** The delay after a loss comes from the configuration: the backend keeps a lock for longer than its holder does. */
class AfterLossDelayTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.after-loss-delay", "10m");

    @Inject
    LockManager locks;

    @Test
    void backendKeepsLockLongerThanHolder() {
        try (LockHandle hold = locks.lock("x", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(60))).acquire()) {
            assertThat(hold.validFor()).isLessThan(Duration.ofSeconds(60));
            assertThat(locks.inspect("x").orElseThrow().holders()).singleElement()
                    .satisfies(holder -> assertThat(holder.remaining()).isGreaterThan(Duration.ofMinutes(10)));
        }
        assertThat(locks.inspect("x")).isEmpty();
    }
}
