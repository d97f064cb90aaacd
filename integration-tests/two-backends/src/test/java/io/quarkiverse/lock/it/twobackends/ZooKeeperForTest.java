package io.quarkiverse.lock.it.twobackends;

import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** One ZooKeeper, its address in a system property: the application lives in another class loader. */
final class ZooKeeperForTest {

    static final String ADDRESS = "two-backends.zookeeper-address";

    private static ZooKeeperServer server;

    private ZooKeeperForTest() {
    }

    static void start() {
        server = ZooKeeperServer.start();
        System.setProperty(ADDRESS, server.connectString());
    }

    static void stop() {
        server.close();
        System.clearProperty(ADDRESS);
    }
}
