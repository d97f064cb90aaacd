package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkus.test.QuarkusUnitTest;

/** Each manager has the backend it is configured with; a hold on one backend does not affect the other. */
class OneForEachManagerTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Counter.class, RedisForTest.class))
            .setBeforeAllCustomizer(RedisForTest::start)
            .setAfterAllCustomizer(RedisForTest::stop)
            .overrideConfigKey("quarkus.lock.backend", "redis")
            .overrideConfigKey("quarkus.lock.managers.here.backend", "local")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://127.0.0.1:${" + RedisForTest.PORT + "}");

    @Inject
    LockManager everywhere;

    @Inject
    @LockManagerName("here")
    LockManager here;

    @Test
    void haveTheirOwn() {
        try (var local = here.lock("door").acquire();
                var shared = everywhere.lock("door").tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(here.lock("door").tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(local.isValid()).isTrue();
            assertThat(shared.isValid()).isTrue();
        }
    }
}
