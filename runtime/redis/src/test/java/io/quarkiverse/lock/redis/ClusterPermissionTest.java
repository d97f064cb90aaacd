package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.redis.topology.ClusterClients;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/** The additional permissions that a cluster needs, and no others: clients ask for slots, and slots move. */
class ClusterPermissionTest extends LockUser {

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(3);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    List<RedisServer> servers() {
        return cluster.nodes();
    }

    @Override
    RedisConnections link() {
        return RedisConnections.toCluster(options(true, 0), new ClusterClients() {
            @Override
            public List<String> seeds() {
                return List.of(cluster.nodes().get(0).host() + ":" + cluster.nodes().get(0).port());
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                return LockUser.client(vertx, node);
            }
        });
    }

    private static RedisServer owner(String name) {
        return cluster.owner(cluster.slot(key(name)));
    }

    private static RedisServer another(RedisServer than) {
        return cluster.nodes().stream().filter(node -> node != than).findFirst().orElseThrow();
    }

    /** A name on a node that clients do not know at the start. */
    private static String name(String prefix) {
        for (int i = 0;; i++) {
            if (owner(prefix + i) != cluster.nodes().get(0)) {
                return prefix + i;
            }
        }
    }

    @Test
    void documentedPermissionsSufficeWhileSlotMoves() {
        try (var log = LogLines.warnings(RedisLockBackend.class.getPackageName())) {
            Jvm holder = user("+cluster|slots", "+asking");
            Jvm other = user("+cluster|slots", "+asking");
            String name = name("moves");
            Grant first = holder.grant(name);
            assertThat(other.ask(name)).isInstanceOf(Busy.class);
            Jvm.Waiting waiting = other.claim(name);
            awaitQueued(waiting, owner(name));
            RedisServer from = owner(name);
            RedisCluster.Move move = cluster.move(cluster.slot(key(name)), another(from));
            move.keys();
            assertThat(holder.renew(first).renewed()).as("at the new node of the key, before the slot moves").hasSize(1);
            move.finish();
            assertThat(holder.renew(first).renewed()).hasSize(1);
            holder.release(first);
            Grant second = waiting.grant();
            assertThat(Jvm.get(holder.backend.inspect(name))).isPresent();
            assertThat(Jvm.get(holder.backend.forceRelease(name))).isTrue();
            assertThatThrownBy(() -> other.release(second)).isInstanceOf(LockLostException.class);
            assertThat(log.messages()).isEmpty();
        }
    }

    /** Nodes redirect each call to the owner of the name. */
    @Test
    void namesAreFoundWithoutClusterSlotsPermission() {
        Jvm jvm = user("+asking");
        for (int i = 0; i < 10; i++) {
            jvm.release(jvm.grant("anywhere-" + i));
        }
    }
}
