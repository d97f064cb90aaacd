package io.quarkiverse.lock.sale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** What a shop needs beside its nodes: Redis for the stock, and where the locks are elsewhere, that. */
final class Servers implements AutoCloseable {

    private final List<AutoCloseable> servers = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();

    Servers(Backend backend) {
        RedisServer redis = RedisServer.start();
        servers.add(redis);
        properties.add("-Dquarkus.redis.hosts=" + redis.url());
        switch (backend) {
            case REDIS -> {
            }
            case ZOOKEEPER -> zooKeeper();
            case H2 -> properties.add("-Dquarkus.datasource.jdbc.url=jdbc:h2:file:" + temporary() + "/sale;AUTO_SERVER=TRUE");
            case POSTGRESQL -> postgreSql();
        }
    }

    private void zooKeeper() {
        ZooKeeperServer server = ZooKeeperServer.start();
        servers.add(server);
        properties.add("-Dquarkus.lock.zookeeper.connect-string=" + server.connectString());
    }

    private void postgreSql() {
        PostgresServer server = PostgresServer.start(Map.of());
        servers.add(server);
        properties.add("-Dquarkus.datasource.jdbc.url=" + server.url());
        properties.add("-Dquarkus.datasource.username=" + server.user());
        properties.add("-Dquarkus.datasource.password=" + server.password());
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("flash-sale-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
