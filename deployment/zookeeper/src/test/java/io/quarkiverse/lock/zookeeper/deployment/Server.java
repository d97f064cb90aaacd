package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;

/**
 * A ZooKeeper for the application under test, whose class loader differs from the test's: they share only a system property.
 */
final class Server {

    static final String ADDRESS = "test.zookeeper.connect-string";

    /** For an ephemeral node, which exists as long as the session that created it. */
    static final String OPEN = "/open";

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

    /** For the end of an application that had a session. */
    static void stopWithoutSession() {
        try {
            boolean open = seen(other -> other.checkExists().forPath(OPEN) != null);
            assertThat(open).as("the session").isFalse();
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            stop();
        }
    }

    /** What a client without an identity sees there. */
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
