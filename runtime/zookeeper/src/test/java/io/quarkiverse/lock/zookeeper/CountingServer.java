package io.quarkiverse.lock.zookeeper;

import java.io.File;
import java.net.InetSocketAddress;
import java.nio.file.Path;

import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper server whose counters can be set, as if billions of nodes had been created. */
final class CountingServer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";

    private final ZooKeeperServer server;
    private final ServerCnxnFactory connections;

    CountingServer(Path directory) throws Exception {
        File data = directory.toFile();
        server = new ZooKeeperServer(data, data, 200);
        server.setMaxSessionTimeout(600_000);
        connections = ServerCnxnFactory.createFactory(new InetSocketAddress(HOST, 0), 100);
        connections.startup(server);
    }

    String connectString() {
        return HOST + ':' + connections.getLocalPort();
    }

    /** Gives this number to the next child of the path. No request for the path may be in flight. */
    void count(String path, int next) {
        server.getZKDatabase().getDataTree().getNode(path).stat.setCversion(next);
    }

    @Override
    public void close() {
        connections.shutdown();
    }
}
