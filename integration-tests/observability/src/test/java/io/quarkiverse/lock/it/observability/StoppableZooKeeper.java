package io.quarkiverse.lock.it.observability;

import java.util.Map;

import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** A ZooKeeper that a test can stop: it finds it in its field. */
public class StoppableZooKeeper implements QuarkusTestResourceLifecycleManager {

    private ZooKeeperServer server;

    @Override
    public Map<String, String> start() {
        server = ZooKeeperServer.start();
        return Map.of("quarkus.lock.zookeeper.connect-string", server.connectString());
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(server, new TestInjector.MatchesType(ZooKeeperServer.class));
    }

    @Override
    public void stop() {
        if (server != null) {
            server.close();
        }
    }
}
