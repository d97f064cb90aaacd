package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Servers that lose what they had, and engines that use them with {@code quarkus.lock.redis.after-failover=grace}. */
final class GraceStage implements AutoCloseable {

    static final Duration SOON = Duration.ofSeconds(20);
    static final Duration LONGEST = Duration.ofSeconds(3);
    static final LockOptions WAITS = LockOptions.DEFAULTS.withWaitFor(SOON).withLease(LONGEST);
    static final LockOptions TRIES = LockOptions.DEFAULTS.withWaitFor(Duration.ZERO).withLease(LONGEST);
    static final String MARKER = "lock:1:marker";

    private final Opened opened = new Opened();

    <T extends AutoCloseable> T opened(T closeable) {
        return opened.add(closeable);
    }

    static RedisLockOptions grace(Duration longest) {
        return RedisLockOptions.STANDARD.withGrace(longest);
    }

    LockManager locks(RedisServer server) {
        return locks(server, grace(LONGEST));
    }

    LockManager locks(RedisServer server, RedisLockOptions options) {
        return locks(connections(server, options));
    }

    RedisConnections connections(RedisServer server, RedisLockOptions options) {
        return RedisConnections.to(options,
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(server.url())));
    }

    LockManager locks(RedisConnections connections) {
        return opened(LockEngine.builder(new RedisLockBackend(connections, "test", "somebody")).start())
                .manager(ManagerDefaults.STANDARD);
    }

    /** Saves a test from sitting out the first grace. */
    void awaitMarkerAndEndGrace(RedisServer server) {
        try (TinyRedis redis = server.connect()) {
            Await.until("the marker is there", SOON, () -> redis.number("EXISTS", MARKER) == 1);
            redis.command("HSET", MARKER, "till", "1");
        }
    }

    void awaitGrace(RedisServer server) {
        try (TinyRedis redis = server.connect()) {
            Await.until("a grace has begun", SOON, () -> {
                List<String> time = redis.list("TIME");
                String till = redis.text("HGET", MARKER, "till");
                return till != null && Long.parseLong(till) > Long.parseLong(time.get(0)) * 1000;
            });
        }
    }

    /** For longer than a lease and the grace, the holder keeps it, and nobody else gets it. */
    void keepsItAlone(LockHandle held, LockManager other, RedisServer server, Duration longest) {
        awaitGrace(server);
        Await.during("the holder has it, and nobody else", longest.plusSeconds(2), () -> {
            assertThat(other.lock("name", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(held.isValid()).isTrue();
            return true;
        });
        held.close();
        try (LockHandle next = other.lock("name", WAITS).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Override
    public void close() throws Exception {
        opened.close();
    }
}
