package io.quarkiverse.lock.it.observability;

import java.util.Map;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** A Redis that a test can stop: it finds it in its field. */
public class StoppableRedis implements QuarkusTestResourceLifecycleManager {

    private RedisServer server;

    @Override
    public Map<String, String> start() {
        server = RedisServer.start();
        return Map.of("quarkus.redis.hosts", server.url());
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(server, new TestInjector.MatchesType(RedisServer.class));
    }

    @Override
    public void stop() {
        if (server != null) {
            server.close();
        }
    }
}
