package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** An application with the Redis extension can still choose the in-JVM backend, and then needs no Redis. */
@FullBuild
class LocalChosenTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Counter.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Counter counter;

    @Inject
    LockManager locks;

    @Test
    void configuredBackendIsUsed() {
        assertThat(counter.next()).isEqualTo(1);
        assertThat(locks.inspect("counter")).isEmpty();
    }
}
