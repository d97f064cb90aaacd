package io.quarkiverse.lock.sale;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** What a shop needs beside its nodes: Redis for the stock, and where locks are in ZooKeeper, that. */
final class Servers implements AutoCloseable {

    private final List<AutoCloseable> servers = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();

    Servers(Backend backend) {
        RedisServer redis = RedisServer.start();
        servers.add(redis);
        properties.add("-Dquarkus.redis.hosts=" + redis.url());
        if (backend == Backend.ZOOKEEPER) {
            ZooKeeperServer zooKeeper = ZooKeeperServer.start();
            servers.add(zooKeeper);
            properties.add("-Dquarkus.lock.zookeeper.connect-string=" + zooKeeper.connectString());
        }
    }

    /** Tell a node where they are. */
    List<String> properties() {
        return properties;
    }

    @Override
    public void close() {
        for (AutoCloseable server : servers) {
            try {
                server.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
