package io.quarkiverse.lock.redis.deployment;

import io.quarkiverse.lock.testkit.server.RedisServer;

/** A Redis for the application under test, whose class loader differs from the test's: they share only a system property. */
final class Server {

    static final String URL = "test.redis.url";
    static final String PORT = "test.redis.port";

    private static RedisServer server;

    private Server() {
    }

    static void start(String... configuration) {
        server = RedisServer.start(configuration);
        System.setProperty(URL, server.url());
        System.setProperty(PORT, "" + server.port());
    }

    static void stop() {
        server.close();
        System.clearProperty(URL);
        System.clearProperty(PORT);
    }

    static int port() {
        return Integer.getInteger(PORT);
    }
}
