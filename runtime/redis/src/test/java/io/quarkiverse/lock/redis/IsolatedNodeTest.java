package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.ClusterClients;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.proxy.ClusterProxies;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A master of a real cluster reaches its clients, but no other node: CutOffNodeTest checks the details with stubs. */
@FullBuild
class IsolatedNodeTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final LockOptions LONG = LockOptions.DEFAULTS.withLease(Duration.ofMinutes(2)).withWaitFor(SOON);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private RedisCluster cluster;

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private <T extends AutoCloseable> T opened(T closeable) {
        opened.add(closeable);
        return closeable;
    }

    private RedisServer owner(String name) {
        return cluster.owner(cluster.slot("lock:1:{test:" + name + "}"));
    }

    /** Over the way that isolation leaves open: nodes announce the addresses of proxies. */
    private LockManager locks() {
        var options = new RedisLockOptions("lock:", Duration.ofSeconds(6), Duration.ofSeconds(60), true, "quarkus.redis.");
        var backend = new RedisLockBackend(RedisConnections.toCluster(options, new ClusterClients() {
            @Override
            public List<String> seeds() {
                return cluster.nodes().stream().map(cluster::address).toList();
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                RedisServer to = cluster.nodes().stream().filter(each -> cluster.address(each).equals(node)).findFirst()
                        .orElseThrow();
                return Redis.createClient(vertx, new RedisOptions().setConnectionString(to.url()));
            }
        }), "test", "somebody");
        return opened(LockEngine.builder(backend).start()).manager(ManagerDefaults.STANDARD);
    }

    @Test
    @Fault(563)
    void fault563_locksOfIsolatedMasterGoOnAtItsSuccessor() {
        ClusterProxies between = opened(new ClusterProxies());
        cluster = opened(RedisCluster.startWithReplicas(3, between::before, "cluster-node-timeout 6000"));
        LockManager locks = locks();
        LockHandle held = locks.lock("name", LONG).acquire();
        RedisServer former = owner("name");
        String another = IntStream.range(0, 100).mapToObj(i -> "name-" + i).filter(each -> owner(each) == former).findFirst()
                .orElseThrow();
        between.isolate(former);
        try (TinyRedis there = former.connect(); TinyRedis replica = cluster.partner(former).connect()) {
            Await.until("its replica takes over", SOON, () -> "master".equals(replica.info("role")));
            Await.until("it notices", SOON, () -> there.text("CLUSTER", "INFO").contains("cluster_state:fail"));
        }
        try (LockHandle next = locks.lock(another, LONG).acquire()) {
            assertThat(next.isValid()).isTrue();
            assertThat(held.isValid()).isTrue();
            assertThat(locks.lock("name", LONG).tryAcquire(Duration.ZERO)).isEmpty();
        }
        between.heal(cluster, former);
        assertThat(held.isValid()).isTrue();
        held.close();
        locks.lock("name", LONG).acquire().close();
    }
}
