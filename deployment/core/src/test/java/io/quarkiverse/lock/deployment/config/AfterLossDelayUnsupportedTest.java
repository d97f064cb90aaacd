package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.Set;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkus.test.QuarkusUnitTest;

/** An application does not start if its backend can keep a lock only for a live holder. */
class AfterLossDelayUnsupportedTest {

    private static final String CLOSED = "test.rows.closed";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Rows.class, FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offerWith(Rows.class, "rows", Feature.LEASE))
            .overrideConfigKey("quarkus.lock.backend", "rows")
            .overrideRuntimeConfigKey("quarkus.lock.after-loss-delay", "10s")
            .setAfterAllCustomizer(() -> System.clearProperty(CLOSED))
            .assertException(failure -> {
                assertThat(failure).hasStackTraceContaining(
                        "quarkus.lock.after-loss-delay: lock backend 'rows' cannot keep a name when its holder is lost: "
                                + "remove the property, or choose another backend with quarkus.lock.backend");
                assertThat(Integer.getInteger(CLOSED, 0)).as("how often the backend was closed").isOne();
            });

    @Test
    void fault555_backendIsClosedAfterFailedStartup() {
        Assertions.fail();
    }

    @Singleton
    public static class Rows implements LockBackendProvider {

        @Override
        public String name() {
            return "rows";
        }

        @Override
        public LockBackend create(String namespace, String owner) {
            return (LockBackend) Proxy.newProxyInstance(Rows.class.getClassLoader(), new Class<?>[] { LockBackend.class },
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("features")) {
                            return Set.of(Feature.LEASE);
                        }
                        if (method.getName().equals("close")) {
                            System.setProperty(CLOSED, "" + (Integer.getInteger(CLOSED, 0) + 1));
                            return null;
                        }
                        throw new AssertionError(method + " is called although it cannot start");
                    });
        }
    }
}
