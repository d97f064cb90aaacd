package io.quarkiverse.lock.zookeeper.deployment;

import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Disabled locks do not close the client created for them: the application does. */
class ClientWithoutLocksTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(Server::start)
            .setAfterUndeployListener(Server::stopWithoutSession)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + Server.ADDRESS + "}")
            .overrideRuntimeConfigKey("quarkus.lock.enabled", "false")
            .withApplicationRoot(jar -> jar.addClasses(Server.class, Server.Look.class));

    @Inject
    CuratorFramework client;

    @Test
    void clientSessionEndsWithApplication() throws Exception {
        client.create().withMode(CreateMode.EPHEMERAL).forPath(Server.OPEN);
    }
}
