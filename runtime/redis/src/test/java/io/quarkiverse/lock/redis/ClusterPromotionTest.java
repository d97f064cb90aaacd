package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
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
import io.quarkiverse.lock.testkit.proxy.ClusterProxies;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A replica is promoted while its master, unaware of it, still serves the clients that reach it: fault 290. */
class ClusterPromotionTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final LockOptions LONG = LockOptions.DEFAULTS.withLease(Duration.ofMinutes(5)).withWaitFor(SOON);
    private static final LockOptions SHORT = LockOptions.DEFAULTS.withLease(Duration.ofSeconds(6)).withWaitFor(SOON);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private ClusterProxies between;
    private RedisCluster cluster;
    private RedisServer former;
    /** The path to the former master for clients that will lose it. */
    private FaultProxy way;

    @BeforeEach
    void start() {
        between = opened(new ClusterProxies());
        cluster = opened(RedisCluster.startWithReplicas(3, between::before, ClusterProxies.QUIET));
        former = owner("name");
        way = opened(FaultProxy.to(former.host(), former.port()));
    }

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

    /** Another name on the same node. */
    private String another() {
        return IntStream.range(0, 100).mapToObj(i -> "name-" + i).filter(each -> owner(each) == former).findFirst()
                .orElseThrow();
    }

    /** @param toFormer the address of the former master for this client */
    private LockManager locks(int acks, String toFormer) {
        var options = new RedisLockOptions("lock:", Duration.ofSeconds(6), Duration.ofSeconds(60), true, "quarkus.redis.",
                acks);
        var backend = new RedisLockBackend(RedisConnections.toCluster(options, new ClusterClients() {
            @Override
            public List<String> seeds() {
                return cluster.nodes().stream().limit(3).map(cluster::address).toList();
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                // Nodes report the address of a proxy
                String to = cluster.nodes().stream().filter(each -> cluster.address(each).equals(node))
                        .map(each -> each == former ? toFormer : each.host() + ":" + each.port()).findFirst().orElseThrow();
                return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://" + to));
            }
        }), "test", "somebody");
        return opened(LockEngine.builder(backend).start()).manager(ManagerDefaults.STANDARD);
    }

    private LockManager goesOn(int acks) {
        return locks(acks, former.host() + ":" + former.port());
    }

    /** A client that loses the former master and finds its successor. */
    private LockManager losesIt(int acks) {
        LockManager locks = locks(acks, way.host() + ":" + way.port());
        locks.lock("name", SHORT).acquire().close();
        return locks;
    }

    private void takeOver() {
        between.takeOver(cluster, former);
        way.down();
    }

    @Test
    @Fault(290)
    void fault290_withReplicaAcksNeitherMasterAllowsSecondHolder() {
        LockManager stays = goesOn(1);
        LockManager leaves = losesIt(1);
        LockHandle held = stays.lock("name", LONG).acquire();
        String besides = another();
        between.cutOffReplica(former);
        takeOver();
        assertThatThrownBy(() -> stays.lock(besides, SHORT).tryAcquire(Duration.ZERO))
                .isInstanceOf(LockBackendException.class).hasMessageContaining("quarkus.lock.redis.replica-acks");
        Await.until("it has found the successor", SOON, () -> leaves.inspect("name").isPresent());
        assertThat(leaves.lock("name", SHORT).tryAcquire(Duration.ZERO)).isEmpty();
        between.heal(cluster, former);
        assertThat(held.isValid()).isTrue();
        held.close();
        try (LockHandle next = leaves.lock("name", SHORT).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    /** The guide does not promise a single holder in this case. */
    @Test
    @Fault(290)
    void fault290_withoutAcksNextTokenIsGreaterAndFirstHolderLearnsOfLoss() {
        LockManager stays = goesOn(0);
        LockManager leaves = losesIt(0);
        between.cutOffReplica(former);
        LockHandle held = stays.lock("name", SHORT).acquire();
        takeOver();
        LockHandle second = leaves.lock("name", SHORT).acquire();
        assertThat(second.fencingToken()).isGreaterThan(held.fencingToken());
        between.heal(cluster, former);
        Await.until("the first one finds out", SOON, () -> !held.isValid());
        second.close();
        held.close();
    }
}
