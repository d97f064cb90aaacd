package io.quarkiverse.lock.it.nobackend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusProdModeTest;

/** A backend whose locks do not reach beyond one JVM must be configured by name. */
class NoBackendInProductionTest {

    @RegisterExtension
    static final QuarkusProdModeTest APPLICATION = new QuarkusProdModeTest()
            .withApplicationRoot(jar -> jar.addClass(Greeter.class))
            .assertBuildException(failure -> assertThat(failure)
                    .hasStackTraceContaining("quarkus-lock-redis")
                    .hasStackTraceContaining("quarkus.lock.backend=local"));

    @Test
    void applicationDoesNotBuild() {
        throw new AssertionError("The build must fail");
    }
}
