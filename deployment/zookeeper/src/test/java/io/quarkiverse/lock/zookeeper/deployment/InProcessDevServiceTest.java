package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Tests have a ZooKeeper without any configuration, even without a container runtime. */
class InProcessDevServiceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            // The build switches it off for all other tests
            .setBeforeAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "true"))
            .setAfterAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "false"))
            .overrideConfigKey("quarkus.lock.zookeeper.devservices.mode", "in-process")
            .withEmptyApplication();

    @ConfigProperty(name = "quarkus.lock.zookeeper.connect-string")
    String connectString;

    @Inject
    CuratorFramework client;

    @Test
    void inProcessServerIsAvailable() throws Exception {
        assertThat(connectString).matches("127\\.0\\.0\\.1:\\d+");
        assertThat(client.getChildren().forPath("/")).contains("zookeeper");
    }
}
