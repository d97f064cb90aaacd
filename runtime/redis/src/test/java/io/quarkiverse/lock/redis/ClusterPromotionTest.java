package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.proxy.ClusterProxies;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** A replica is promoted while its master, unaware of it, still serves the clients that reach it: fault 290. */
class ClusterPromotionTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final LockOptions LONG = LockOptions.DEFAULTS.withLease(Duration.ofMinutes(5)).withWaitFor(SOON);
    private static final LockOptions SHORT = LockOptions.DEFAULTS.withLease(Duration.ofSeconds(6)).withWaitFor(SOON);

    @AutoClose
    private final Opened opened = new Opened();
    private ClusterProxies between;
    private RedisCluster cluster;
    private ProxiedCluster nodes;
    private RedisServer former;
    /** The path to the former master for clients that will lose it. */
    private FaultProxy way;

    @BeforeEach
    void start() {
        between = opened.add(new ClusterProxies());
        cluster = opened.add(RedisCluster.startWithReplicas(3, between::before, ClusterProxies.QUIET));
        nodes = new ProxiedCluster(cluster);
        former = nodes.owner("name");
        way = opened.add(FaultProxy.to(former.host(), former.port()));
    }

    /** @param toFormer the address of the former master for this client */
    private LockManager locks(int acks, String toFormer) {
        return opened.add(nodes.engine(acks, each -> each == former ? toFormer : ProxiedCluster.directWay(each)))
                .manager(ManagerDefaults.STANDARD);
    }

    private LockManager goesOn(int acks) {
        return locks(acks, ProxiedCluster.directWay(former));
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
        String besides = nodes.nameAt(former);
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
