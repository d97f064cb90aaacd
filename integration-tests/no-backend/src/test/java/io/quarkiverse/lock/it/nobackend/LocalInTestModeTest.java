package io.quarkiverse.lock.it.nobackend;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** Without any configuration, tests run on the in-JVM backend. */
class LocalInTestModeTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest().withApplicationRoot(jar -> jar.addClass(Greeter.class));

    @Inject
    Greeter greeter;

    @Inject
    LockManager locks;

    @Test
    void localBackendIsTestDefault() {
        assertThat(greeter.greet("tester")).isEqualTo("Hello tester");
        try (var hold = locks.lock("greeting-tester").acquire()) {
            assertThat(locks.inspect("greeting-tester")).isPresent();
        }
        assertThat(locks.inspect("greeting-tester")).isEmpty();
    }
}
