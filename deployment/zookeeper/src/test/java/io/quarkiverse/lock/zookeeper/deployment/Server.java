package io.quarkiverse.lock.zookeeper.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;

/**
 * A ZooKeeper for the application under test, whose class loader is not that of the test: they share only a system property.
 */
final class Server {

    static final String ADDRESS = "test.zookeeper.connect-string";

    private static TestingServer server;

    private Server() {
    }

    static void start() {
        try {
            server = new TestingServer(true);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        System.setProperty(ADDRESS, server.getConnectString());
    }

    static void stop() {
        System.clearProperty(ADDRESS);
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a client of nobody sees there. */
    static <T> T seen(Look<T> look) throws Exception {
        try (CuratorFramework other = CuratorFrameworkFactory.newClient(System.getProperty(ADDRESS), new RetryOneTime(100))) {
            other.start();
            return look.at(other);
        }
    }

    interface Look<T> {

        T at(CuratorFramework client) throws Exception;
    }

    static Callable<Boolean> hasNoNodeUnder(String path) {
        return () -> seen(client -> client.checkExists().forPath(path) == null
                || client.getChildren().forPath(path).isEmpty());
    }
}
