package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/**
 * Inside the lock, fault tolerance cuts the lock off from what the method returns: after a timeout the lock would be free
 * while the method's {@code Uni} still runs. It makes no difference that the application has chosen this order.
 */
class FaultToleranceInsideUniTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(TolerantUnis.class, TolerantFutures.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("mp.fault.tolerance.interceptor.priority", "4010")
            .assertException(failure -> {
                assertRefused(failure, "limited", "@Timeout", "a Uni");
                assertRefused(failure, "stage", "@Fallback", "a CompletionStage");
                assertRefused(failure, "nested", "@Retry", "a Uni");
                assertThat(failure.getMessage()).doesNotContain("method=plain").doesNotContain("method=around")
                        .doesNotContain(TolerantFutures.class.getName());
            });

    @Test
    void fault359_doesNotBuild() {
        Assertions.fail();
    }

    static void assertRefused(Throwable failure, String method, String annotation, String returned) {
        assertThat(failure.getMessage().lines()).anySatisfy(line -> assertThat(line).contains(
                "[class=" + TolerantUnis.class.getName() + ", method=" + method + "]", annotation, returned,
                "mp.fault.tolerance.interceptor.priority=155"));
    }
}
