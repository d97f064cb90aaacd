package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;

import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Tests a user with only the permissions that locks need, on more than a single server. */
abstract class LockUser {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final List<Jvm> jvms = new ArrayList<>();

    @AfterEach
    void closeAll() {
        jvms.forEach(Jvm::close);
    }

    /** All servers to which the clients of locks send calls. */
    abstract List<RedisServer> servers();

    /** Over {@link #client}. */
    abstract RedisConnections link();

    /** A JVM whose user has these rights besides those that every user of locks needs. */
    final Jvm user(String... more) {
        var command = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">secret"));
        command.addAll(List.of(PermissionTest.NEEDED));
        command.addAll(List.of(more));
        for (RedisServer server : servers()) {
            try (TinyRedis there = server.connect()) {
                there.command(command.toArray(String[]::new));
            }
        }
        var jvm = new Jvm(link());
        jvms.add(jvm);
        return jvm;
    }

    static Redis client(Vertx vertx, String address) {
        return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://locks:secret@" + address));
    }

    static RedisLockOptions options(boolean cluster, int replicaAcks) {
        return new RedisLockOptions("lock:", Duration.ofSeconds(15), Duration.ofSeconds(60), cluster, "quarkus.redis.",
                replicaAcks);
    }

    static String key(String name) {
        return "lock:1:{test:" + name + "}";
    }

    /** Waits until the claim waits there, reachable by messages. */
    static void awaitQueued(Jvm.Waiting waiting, RedisServer at) {
        Await.until("it is queued with a channel", SOON, () -> {
            try (TinyRedis there = at.connect()) {
                String entry = there.text("HGET", key(waiting.claim.name()), "w:" + waiting.claim.token());
                return entry != null && !entry.split("\\|", -1)[3].isEmpty();
            }
        });
    }
}
