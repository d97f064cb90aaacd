package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;

/** An ensemble of three ZooKeeper servers in this JVM. */
public final class ZooKeeperCluster implements AutoCloseable {

    private static final int SERVERS = 3;

    private final TestingCluster cluster;
    private final List<InstanceSpec> specs = new ArrayList<>();

    private ZooKeeperCluster() {
        for (int i = 0; i < SERVERS; i++) {
            specs.add(ZooKeeperServer.spec(-1, Map.of()));
        }
        cluster = new TestingCluster(specs);
        try {
            cluster.start();
        } catch (Exception e) {
            throw new IllegalStateException("The ZooKeeper servers cannot be started", e);
        }
    }

    /** Starts three servers. A client that connects waits until they have a leader. */
    public static ZooKeeperCluster start() {
        return new ZooKeeperCluster();
    }

    public String connectString() {
        return cluster.getConnectString();
    }

    /** The servers' addresses. */
    public List<String> servers() {
        return specs.stream().map(each -> each.getHostname() + ":" + each.getPort()).toList();
    }

    /** Stops a server, given its index in {@link #servers}. */
    public void kill(int server) {
        try {
            cluster.killServer(specs.get(server));
        } catch (Exception e) {
            throw new IllegalStateException("Server " + server + " cannot be stopped", e);
        }
    }

    public void restart(int server) {
        try {
            cluster.restartServer(specs.get(server));
        } catch (Exception e) {
            throw new IllegalStateException("Server " + server + " cannot be restarted", e);
        }
    }

    /** Which server leads, asked with the four-letter command {@code srvr}; waits until one does. */
    public int leader() {
        long giveUpAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.nanoTime() - giveUpAt < 0) {
            for (int i = 0; i < SERVERS; i++) {
                if (ask(specs.get(i)).contains("Mode: leader")) {
                    return i;
                }
            }
            Thread.yield();
        }
        throw new IllegalStateException("No server leads");
    }

    private static String ask(InstanceSpec server) {
        try (var socket = new java.net.Socket(ZooKeeperServer.HOST, server.getPort())) {
            socket.setSoTimeout(2000);
            socket.getOutputStream().write("srvr".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        try {
            cluster.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
