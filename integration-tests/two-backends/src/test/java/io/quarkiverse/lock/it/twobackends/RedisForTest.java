package io.quarkiverse.lock.it.twobackends;

import io.quarkiverse.lock.testkit.server.RedisServer;

/** One Redis, its port in a system property: the application lives in another class loader. */
final class RedisForTest {

    static final String PORT = "two-backends.redis-port";

    private static RedisServer server;

    private RedisForTest() {
    }

    static void start() {
        server = RedisServer.start();
        System.setProperty(PORT, String.valueOf(server.port()));
    }

    static void stop() {
        server.close();
        System.clearProperty(PORT);
    }
}
