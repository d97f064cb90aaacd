package io.quarkiverse.lock.sale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** What a shop needs besides its nodes: Redis for the stock, and another store if the locks are elsewhere. */
final class Servers implements AutoCloseable {

    private final List<AutoCloseable> servers = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();

    Servers(Backend backend) {
        if (backend == Backend.SENTINEL) {
            sentinel();
            return;
        }
        if (backend == Backend.GRACE) {
            sentinel("min-replicas-to-write 1", "min-replicas-max-lag 2");
            properties.addAll(List.of("-Dquarkus.lock.redis.after-failover=grace", "-Dquarkus.lock.redis.longest-lease=5s",
                    "-Dquarkus.lock.lease=5s"));
            return;
        }
        RedisServer redis = RedisServer.start();
        servers.add(redis);
        properties.add("-Dquarkus.redis.hosts=" + redis.url());
        switch (backend) {
            case REDIS, SENTINEL, GRACE -> {
            }
            case ZOOKEEPER -> zooKeeper();
            case H2 -> properties.add("-Dquarkus.datasource.jdbc.url=jdbc:h2:file:" + temporary() + "/sale;AUTO_SERVER=TRUE");
            case POSTGRESQL -> postgreSql();
        }
    }

    /** A master that dies comes back as a replica, as the dev service's master does. */
    private void sentinel(String... configuration) {
        RedisSentinel redis = RedisSentinel.start(1, 3, configuration);
        servers.add(redis);
        servers.add(new Revival(redis));
        properties.add("-Dquarkus.redis.hosts=" + String.join(",", redis.urls()));
        properties.add("-Dquarkus.redis.client-type=sentinel");
        properties.add("-Dquarkus.redis.master-name=" + RedisSentinel.MASTER);
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

    /** The properties with which a node finds them. */
    List<String> properties() {
        return properties;
    }

    @Override
    public void close() {
        Collections.reverse(servers);
        for (AutoCloseable server : servers) {
            try {
                server.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
