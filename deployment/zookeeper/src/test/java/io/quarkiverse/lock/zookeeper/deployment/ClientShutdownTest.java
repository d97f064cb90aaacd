package io.quarkiverse.lock.zookeeper.deployment;

import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** The client created for the locks is closed with the application, which ends its session. */
class ClientShutdownTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(Server::start)
            .setAfterUndeployListener(Server::stopWithoutSession)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + Server.ADDRESS + "}")
            .withApplicationRoot(jar -> jar.addClasses(Server.class, Server.Look.class));

    @Inject
    CuratorFramework client;

    @Test
    void clientSessionEndsWithApplication() throws Exception {
        client.create().withMode(CreateMode.EPHEMERAL).forPath(Server.OPEN);
    }
}
