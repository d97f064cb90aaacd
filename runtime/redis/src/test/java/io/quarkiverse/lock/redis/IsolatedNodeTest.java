package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.proxy.ClusterProxies;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** A master of a real cluster reaches its clients, but no other node: CutOffNodeTest checks the details with stubs. */
@FullBuild
class IsolatedNodeTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final LockOptions LONG = LockOptions.DEFAULTS.withLease(Duration.ofMinutes(2)).withWaitFor(SOON);

    @AutoClose
    private final Opened opened = new Opened();

    @Test
    @Fault(563)
    void fault563_locksOfIsolatedMasterGoOnAtItsSuccessor() {
        ClusterProxies between = opened.add(new ClusterProxies());
        RedisCluster cluster = opened.add(RedisCluster.startWithReplicas(3, between::before, "cluster-node-timeout 6000"));
        ProxiedCluster nodes = new ProxiedCluster(cluster);
        LockManager locks = opened.add(nodes.engine(0, ProxiedCluster::directWay)).manager(ManagerDefaults.STANDARD);
        LockHandle held = locks.lock("name", LONG).acquire();
        RedisServer former = nodes.owner("name");
        String another = nodes.nameAt(former);
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
