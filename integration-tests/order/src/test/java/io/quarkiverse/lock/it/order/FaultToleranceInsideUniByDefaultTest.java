package io.quarkiverse.lock.it.order;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** As {@link FaultToleranceInsideUniTest}, with the default order. */
class FaultToleranceInsideUniByDefaultTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(TolerantUnis.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(
                    failure -> FaultToleranceInsideUniTest.assertRefused(failure, "limited", "@Timeout", "a Uni"));

    @Test
    void fault359_doesNotBuild() {
        Assertions.fail();
    }
}
