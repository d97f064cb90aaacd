package io.quarkiverse.lock.testkit.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.Await;

/**
 * A ZooKeeper server in this JVM, on a free port of the loopback interface and with its own, empty data directory. Its ticks
 * are short, so that sessions can be short.
 *
 * <pre>{@code
 * try (ZooKeeperServer server = ZooKeeperServer.start()) {
 *     server.stop();
 *     ...
 *     server.restart();
 *     ZooKeeperServer.expire(client);
 * }
 * }</pre>
 */
public final class ZooKeeperServer implements AutoCloseable {

    public static final String HOST = "127.0.0.1";
    /** Its {@code tickTime}; sessions last from two ticks to ten minutes. */
    public static final Duration TICK = Duration.ofMillis(200);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Map<String, Object> configuration;
    private TestingServer server;

    private ZooKeeperServer(Map<String, Object> configuration) {
        this.configuration = configuration;
        this.server = start(-1, configuration);
    }

    private static TestingServer start(int port, Map<String, Object> configuration) {
        return start(null, port, configuration);
    }

    private static TestingServer start(@Nullable File data, int port, Map<String, Object> configuration) {
        try {
            return new TestingServer(spec(data, port, configuration), true);
        } catch (Exception e) {
            throw new IllegalStateException("The ZooKeeper server cannot be started", e);
        }
    }

    /** The settings that all servers of tests share. */
    static InstanceSpec spec(int port, Map<String, Object> more) {
        return spec(null, port, more);
    }

    private static InstanceSpec spec(@Nullable File data, int port, Map<String, Object> more) {
        var configuration = new HashMap<String, Object>();
        configuration.put("minSessionTimeout", String.valueOf(2 * TICK.toMillis()));
        configuration.put("maxSessionTimeout", "600000");
        configuration.put("forceSync", "no"); // tests end processes, never the machine
        configuration.putAll(more);
        return new InstanceSpec(data, port < 0 ? FreePort.find() : port, FreePort.find(), FreePort.find(), true, -1,
                (int) TICK.toMillis(), 1000, configuration, HOST);
    }

    /** Starts a server and returns when it answers. */
    public static ZooKeeperServer start() {
        return start(Map.of());
    }

    /** @param configuration entries of {@code zoo.cfg} */
    public static ZooKeeperServer start(Map<String, Object> configuration) {
        return new ZooKeeperServer(configuration);
    }

    public String host() {
        return HOST;
    }

    /** Constant for the whole life of this object. */
    public int port() {
        return server.getPort();
    }

    public String connectString() {
        return HOST + ":" + port();
    }

    /** Stops the server; its data stays, including the sessions. */
    public void stop() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the server again on its port; stops it first if it still runs. */
    public void restart() {
        try {
            server.restart();
        } catch (Exception e) {
            throw new IllegalStateException("The ZooKeeper server cannot be restarted", e);
        }
    }

    /** Stops the server, and starts it again on its port and with its data, but with this configuration. */
    public void restart(Map<String, Object> configuration) {
        stop();
        server = start(server.getTempDirectory(), port(), configuration);
    }

    /** Starts the server again on its port, without its previous data. */
    public void restartEmpty() {
        int port = port();
        close();
        server = start(port, configuration);
    }

    /**
     * Ends the session of a client at the servers, as if it had been silent for too long. The client does not learn of it until
     * it reconnects. Does nothing if the session has ended already.
     */
    public static void expire(ZooKeeper client, String connectString) {
        var answered = new CountDownLatch(1);
        try (var twin = new ZooKeeper(connectString, client.getSessionTimeout(), event -> {
            if (event.getState() == KeeperState.SyncConnected || event.getState() == KeeperState.Expired) {
                answered.countDown();
            }
        }, client.getSessionId(), client.getSessionPasswd())) {
            if (!answered.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("No second connection for the session within 20 s");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until a client is connected: a test that asks the server something has no use for the loss of a connection. */
    public static void awaitConnection(BooleanSupplier connected) {
        Await.until("a client is connected to ZooKeeper", PATIENCE, connected::getAsBoolean);
    }

    /** Stops the server and deletes its data. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
