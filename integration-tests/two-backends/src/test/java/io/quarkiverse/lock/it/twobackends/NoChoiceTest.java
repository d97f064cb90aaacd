package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** With several backends, none is picked by chance. */
class NoChoiceTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Counter.class, OtherProvider.class))
            .addBuildChainCustomizer(OtherBackend::offer)
            .assertException(failure -> assertThat(failure)
                    .hasStackTraceContaining("quarkus.lock.backend")
                    .hasStackTraceContaining("redis")
                    .hasStackTraceContaining("other"));

    @Test
    void applicationDoesNotBuild() {
        throw new AssertionError("The build must fail");
    }
}
