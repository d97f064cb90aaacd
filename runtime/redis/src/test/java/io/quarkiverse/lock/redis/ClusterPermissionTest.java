package io.quarkiverse.lock.redis;

import static io.quarkiverse.lock.redis.PermissionTest.NEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** What a user for locks needs besides in a cluster, with nothing else: slots are asked for, and move. */
class ClusterPermissionTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static RedisCluster cluster;

    private final List<Jvm> jvms = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(3);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void closeAll() {
        jvms.forEach(Jvm::close);
    }

    private Jvm user(String... more) {
        var command = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">secret"));
        command.addAll(List.of(NEEDED));
        command.addAll(List.of(more));
        for (RedisServer node : cluster.nodes()) {
            try (TinyRedis there = node.connect()) {
                there.command(command.toArray(String[]::new));
            }
        }
        var options = new RedisLinkOptions("lock:", Duration.ofSeconds(15), Duration.ofSeconds(60), true, "quarkus.redis.", 0);
        var jvm = new Jvm(RedisLink.toCluster(options, new ClusterClients() {
            @Override
            public List<String> seeds() {
                return List.of(cluster.nodes().get(0).host() + ":" + cluster.nodes().get(0).port());
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://locks:secret@" + node));
            }
        }));
        jvms.add(jvm);
        return jvm;
    }

    private static String key(String name) {
        return "lock:1:{test:" + name + "}";
    }

    private static RedisServer owner(String name) {
        return cluster.owner(cluster.slot(key(name)));
    }

    private static RedisServer another(RedisServer than) {
        return cluster.nodes().stream().filter(node -> node != than).findFirst().orElseThrow();
    }

    /** A name on another node than the only one that clients know at the start. */
    private static String name(String prefix) {
        for (int i = 0;; i++) {
            if (owner(prefix + i) != cluster.nodes().get(0)) {
                return prefix + i;
            }
        }
    }

    @Test
    void theDocumentedRightsAreEnoughAlsoWhileASlotMoves() {
        try (var log = new LogCapture()) {
            Jvm holder = user("+cluster|slots", "+asking");
            Jvm other = user("+cluster|slots", "+asking");
            String name = name("moves");
            Grant first = holder.grant(name);
            assertThat(other.ask(name)).isInstanceOf(Busy.class);
            Jvm.Waiting waiting = other.claim(name);
            Await.until("it is queued with a channel", SOON, () -> {
                try (TinyRedis there = owner(name).connect()) {
                    String entry = there.text("HGET", key(name), "w:" + waiting.claim.token());
                    return entry != null && !entry.split("\\|", -1)[3].isEmpty();
                }
            });
            RedisServer from = owner(name);
            RedisCluster.Move move = cluster.move(cluster.slot(key(name)), another(from));
            move.keys();
            assertThat(holder.renew(first).renewed()).as("where the key is, although the slot is not").hasSize(1);
            move.finish();
            assertThat(holder.renew(first).renewed()).hasSize(1);
            holder.release(first);
            Grant second = waiting.grant();
            assertThat(Jvm.get(holder.backend.inspect(name))).isPresent();
            assertThat(Jvm.get(holder.backend.forceRelease(name))).isTrue();
            other.release(second);
            assertThat(log.warnings).isEmpty();
        }
    }

    /** The nodes say where a name belongs, call by call. */
    @Test
    void withoutTheSlotsEveryNameIsFoundAllTheSame() {
        Jvm jvm = user("+asking");
        for (int i = 0; i < 10; i++) {
            jvm.release(jvm.grant("anywhere-" + i));
        }
    }
}
