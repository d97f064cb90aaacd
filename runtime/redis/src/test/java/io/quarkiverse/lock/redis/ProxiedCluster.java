package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.ClusterClients;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Three masters with replicas, which announce the addresses of proxies, and engines that reach them by other ways. */
record ProxiedCluster(RedisCluster cluster) {

    RedisServer owner(String name) {
        return cluster.owner(cluster.slot("lock:1:{test:" + name + "}"));
    }

    /** A name that this server has. */
    String nameAt(RedisServer owner) {
        return IntStream.range(0, 100).mapToObj(i -> "name-" + i).filter(each -> owner(each) == owner).findFirst()
                .orElseThrow();
    }

    /** @param way the address by which the engine reaches a server */
    LockEngine engine(int acks, Function<RedisServer, String> way) {
        var options = new RedisLockOptions("lock:", Duration.ofSeconds(6), Duration.ofSeconds(60), true, "quarkus.redis.",
                acks);
        return LockEngine.builder(new RedisLockBackend(RedisConnections.toCluster(options, new ClusterClients() {
            @Override
            public List<String> seeds() {
                return cluster.nodes().stream().limit(3).map(cluster::address).toList();
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                String to = cluster.nodes().stream().filter(each -> cluster.address(each).equals(node)).map(way).findFirst()
                        .orElseThrow();
                return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://" + to));
            }
        }), "test", "somebody")).start();
    }

    /** The one that leads past all proxies. */
    static String directWay(RedisServer to) {
        return to.host() + ":" + to.port();
    }
}
