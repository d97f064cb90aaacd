package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

class FencingFloorTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.fencing-floor", "4000000000000000000");

    @Inject
    LockManager locks;

    @Test
    void fault127_tokensAreAboveTheConfiguredFloor() {
        try (LockHandle hold = locks.lock("a").acquire()) {
            assertThat(hold.fencingToken()).isGreaterThan(4_000_000_000_000_000_000L);
        }
    }
}
