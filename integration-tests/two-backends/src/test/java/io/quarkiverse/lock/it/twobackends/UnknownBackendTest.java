package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A backend that the application does not have is rejected, with a list of those that it has. */
class UnknownBackendTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Counter.class))
            .overrideConfigKey("quarkus.lock.backend", "rediss")
            .assertException(failure -> assertThat(failure)
                    .hasStackTraceContaining("quarkus.lock.backend")
                    .hasStackTraceContaining("'rediss'")
                    .hasStackTraceContaining("choose one it has (redis, zookeeper, jpa)"));

    @Test
    void applicationDoesNotBuild() {
        throw new AssertionError("The build must fail");
    }
}
