package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkus.test.QuarkusUnitTest;

/** A wrong setting is detected before a backend is created and connects. */
class BadFencingFloorTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(NeverUsed.class, FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offer(NeverUsed.class, "rows"))
            .overrideConfigKey("quarkus.lock.backend", "rows")
            .overrideRuntimeConfigKey("quarkus.lock.fencing-floor", "-1")
            .assertException(failure -> assertThat(failure).hasStackTraceContaining("quarkus.lock.fencing-floor=-1"));

    @Test
    void fault555_floorIsCheckedBeforeBackendCreation() {
        Assertions.fail("It has started");
    }

    @Singleton
    public static class NeverUsed implements LockBackendProvider {

        @Override
        public String name() {
            return "rows";
        }

        @Override
        public LockBackend create(String namespace, String owner) {
            throw new AssertionError("A backend is made although the application cannot start");
        }
    }
}
