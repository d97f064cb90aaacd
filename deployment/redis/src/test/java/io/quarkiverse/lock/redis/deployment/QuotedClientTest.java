package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** The name of a client may be in quotes, as in Quarkus' list of properties. */
class QuotedClientTest {

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
            .overrideConfigKey("quarkus.lock.redis.client-name", "locks")
            .overrideConfigKey("quarkus.lock.redis.devservices.topology", "sentinel")
            .overrideConfigKey("quarkus.redis.\"locks\".hosts", "${" + Server.URL + "}")
            .withApplicationRoot(jar -> jar.addClass(Server.class));

    @Inject
    LockManager locks;

    @Test
    void quotedClientNeedsNoDevService() {
        try (var hold = locks.lock("here").acquire()) {
            assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(1));
        }
    }
}
