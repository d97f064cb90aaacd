package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.process.ChildJvm;
import io.quarkiverse.lock.testkit.process.ChildMain;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** A ZooKeeper in a separate JVM. */
final class ZooKeeperProcess implements Server {

    private static final String SCHEME = "zookeeper://";
    /** As for a server, not for a short test. */
    private static final List<String> OPTIONS = List.of("-XX:TieredStopAtLevel=4", "-Xmx512m",
            "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
            // The disk is not part of the measurement
            "-Dzookeeper.forceSync=no");
    /** Instead of once a minute. */
    private static final List<String> REAPS_OFTEN = List.of("-Dznode.container.checkIntervalMs=3000",
            "-Dznode.container.maxPerMinute=1000000");

    private final ChildJvm jvm;
    private final String connectString;

    /** @param reapsOften whether containers without children are soon deleted */
    ZooKeeperProcess(boolean reapsOften) {
        List<String> options = new ArrayList<>(OPTIONS);
        if (reapsOften) {
            options.addAll(REAPS_OFTEN);
        }
        jvm = ChildJvm.start(options, Main.class);
        connectString = jvm.ask("");
    }

    @Override
    public String url() {
        return SCHEME + connectString;
    }

    static boolean is(String url) {
        return url.startsWith(SCHEME);
    }

    static String connectString(String url) {
        return url.substring(SCHEME.length());
    }

    /** A figure that the server reports about itself, obtained with a separate request on a separate connection. */
    static long figure(String url, String name) {
        String[] address = connectString(url).split(":");
        try (var socket = new Socket(address[0], Integer.parseInt(address[1]))) {
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.lines().filter(line -> line.startsWith(name + ": "))
                    .mapToLong(line -> Long.parseLong(line.substring(name.length() + 2))).findFirst()
                    .orElseThrow(() -> new IllegalStateException("No " + name + " in: " + answer));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A started client, created as in Curator's examples. */
    static CuratorFramework client(String url) {
        CuratorFramework client = CuratorFrameworkFactory.newClient(connectString(url), new ExponentialBackoffRetry(1000, 3));
        client.start();
        return client;
    }

    @Override
    public void close() {
        jvm.close();
    }

    /** Public for its launcher. */
    public static final class Main implements ChildMain {

        private @Nullable ZooKeeperServer server;

        @Override
        public void start(String[] arguments, Child child) {
            server = ZooKeeperServer.start();
        }

        @Override
        public String handle(String request, Child child) {
            return Objects.requireNonNull(server).connectString();
        }
    }
}
