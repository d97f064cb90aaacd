package io.quarkiverse.lock.it;

import java.util.Map;

import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** A separate ZooKeeper for the application under test, in a field of a test that wants to stop it. */
public class ZooKeeperResource implements QuarkusTestResourceLifecycleManager {

    private ZooKeeperServer server;

    @Override
    public Map<String, String> start() {
        server = ZooKeeperServer.start();
        return Map.of("quarkus.lock.zookeeper.connect-string", server.connectString());
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(server.connectString(),
                new TestInjector.AnnotatedAndMatchesType(ServerAddress.class, String.class));
        injector.injectIntoFields(server, new TestInjector.MatchesType(ZooKeeperServer.class));
    }

    @Override
    public void stop() {
        if (server != null) {
            server.close();
        }
    }
}
