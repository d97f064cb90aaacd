package io.quarkiverse.lock.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Groups of Redis servers: replication, Sentinel and cluster. */
class RedisTopologyTest {

    @Test
    void pausedReplicaDoesNotAcknowledgeWrites() {
        try (var redis = RedisReplication.start(2); var master = redis.master().connect()) {
            master.command("SET", "key", "value");
            assertThat(master.number("WAIT", "2", "5000")).isEqualTo(2);
            redis.replicas().get(0).pause();
            master.command("SET", "key", "other");
            assertThat(master.number("WAIT", "2", "3000")).isEqualTo(1);
            try (var replica = redis.replicas().get(1).connect()) {
                assertThat(replica.text("GET", "key")).isEqualTo("other");
            }
            redis.replicas().get(0).resume();
            redis.awaitInSync();
        }
    }

    @Test
    void sentinelPromotesReplicaOfDeadMaster() {
        List<ProcessHandle> processes;
        try (var redis = RedisSentinel.start(1)) {
            RedisServer former = redis.master();
            former.kill();
            RedisServer master = redis.awaitPromotion(former);
            assertThat(master).isNotSameAs(former);
            try (var client = master.connect()) {
                client.command("SET", "key", "value");
            }
            processes = Stream.of(master, redis.sentinel()).map(each -> ProcessHandle.of(each.pid()).orElseThrow()).toList();
        }
        assertThat(processes).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void threeSentinelsPromoteReplicaAndDemoteFormerMaster() {
        try (var redis = RedisSentinel.start(2, 3)) {
            assertThat(redis.urls()).hasSize(3);
            RedisServer former = redis.master();
            former.kill();
            assertThat(redis.awaitPromotion(former)).isNotSameAs(former);
            former.restart();
            redis.awaitReady();
            assertThat(redis.replicas()).hasSize(2).contains(former);
        }
    }

    @Test
    void slotMovesBetweenClusterNodes() {
        try (var cluster = RedisCluster.start(3)) {
            int slot = cluster.slot("{a}");
            RedisServer owner = cluster.owner(slot);
            RedisServer other = cluster.nodes().stream().filter(node -> node != owner).findFirst().orElseThrow();
            try (var there = owner.connect(); var here = other.connect()) {
                there.command("SET", "{a}", "1");
                assertThatThrownBy(() -> here.command("GET", "{a}")).hasMessageStartingWith("MOVED " + slot);
                RedisCluster.Move move = cluster.move(slot, other);
                assertThat(there.text("GET", "{a}")).isEqualTo("1");
                assertThatThrownBy(() -> there.command("GET", "{a}b")).hasMessageStartingWith("ASK " + slot);
                move.keys();
                here.command("ASKING");
                assertThat(here.text("GET", "{a}")).isEqualTo("1");
                move.finish();
                assertThat(here.text("GET", "{a}")).isEqualTo("1");
                assertThat(cluster.owner(slot)).isSameAs(other);
            }
        }
    }

    @Test
    void clusterReplicaTakesOverAndFormerMasterFollows() {
        try (var cluster = RedisCluster.startWithReplicas(3, UnaryOperator.identity())) {
            int slot = cluster.slot("{a}");
            RedisServer former = cluster.owner(slot);
            RedisServer next = cluster.partner(former);
            cluster.takeOver(next);
            cluster.awaitReplica(former);
            assertThat(cluster.owner(slot)).isSameAs(next);
            assertThat(cluster.partner(next)).isSameAs(former);
            try (var here = next.connect(); var there = former.connect()) {
                here.command("SET", "{a}", "1");
                assertThat(here.number("WAIT", "1", "5000")).isEqualTo(1);
                assertThatThrownBy(() -> there.command("GET", "{a}"))
                        .hasMessageStartingWith("MOVED " + slot + " " + cluster.address(next));
            }
        }
    }
}
