package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusUnitTest;

/** The configured backend is used, and is the only one in the application. */
class RedisChosenTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Counter.class, OtherBackend.class, OtherProvider.class,
                    RedisForTest.class))
            .addBuildChainCustomizer(OtherBackend::offer)
            .setBeforeAllCustomizer(RedisForTest::start)
            .setAfterAllCustomizer(RedisForTest::stop)
            .overrideConfigKey("quarkus.lock.backend", "redis")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://127.0.0.1:${" + RedisForTest.PORT + "}");

    @Inject
    Counter counter;

    @Inject
    Instance<LockBackendProvider> providers;

    @Test
    void configuredBackendIsUsed() {
        assertThat(providers.stream().map(LockBackendProvider::name)).contains("redis");
        assertThat(counter.next()).isEqualTo(1);
        try (var redis = new TinyRedis("127.0.0.1", Integer.getInteger(RedisForTest.PORT))) {
            assertThat(redis.keys("*")).anyMatch(key -> key.contains("counter"));
        }
    }
}
