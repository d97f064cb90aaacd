package io.quarkiverse.lock.it;

import java.util.Map;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** A separate Redis for the application under test, in a field of a test that wants to stop it. */
public class RedisResource implements QuarkusTestResourceLifecycleManager {

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
