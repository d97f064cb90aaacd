package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** No dev service is started for an application that configures its Redis. */
class TopologyWithHostsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> {
                System.setProperty("quarkus.devservices.enabled", "true");
                Server.start();
            })
            .setAfterAllCustomizer(() -> {
                System.setProperty("quarkus.devservices.enabled", "false");
                Server.stop();
            })
            .overrideConfigKey("quarkus.lock.redis.devservices.topology", "sentinel")
            .overrideConfigKey("quarkus.redis.hosts", "${" + Server.URL + "}")
            .withApplicationRoot(jar -> jar.addClass(Server.class));

    @Inject
    LockManager locks;

    @Inject
    RedisDataSource redis;

    @Test
    void configuredHostsReplaceDevService() {
        try (var hold = locks.lock("here").acquire()) {
            assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(1));
            assertThat(redis.key().keys("*here*")).hasSize(1);
        }
    }
}
