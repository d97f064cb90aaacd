package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A replica is promoted while the former master, unaware of it, still serves its clients: fault 26. */
class IsolatedMasterTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final LockOptions OPTIONS = LockOptions.DEFAULTS.withLease(Duration.ofSeconds(3)).withWaitFor(SOON);

    @AutoClose
    private final Opened opened = new Opened();
    private RedisReplication redis;

    @BeforeEach
    void start() {
        redis = opened.add(RedisReplication.start(1));
    }

    private LockManager locks(RedisServer server, int acks) {
        var options = new RedisLockOptions("lock:", Duration.ofSeconds(2), Duration.ofSeconds(60), false, "quarkus.redis.",
                acks);
        var backend = new RedisLockBackend(RedisConnections.to(options, vertx -> Redis.createClient(vertx,
                new RedisOptions().setConnectionString(server.url()))), "test", "somebody");
        return opened.add(LockEngine.builder(backend).start()).manager(ManagerDefaults.STANDARD);
    }

    private RedisServer promoted() {
        RedisServer replica = redis.replicas().get(0);
        try (TinyRedis there = replica.connect()) {
            there.command("REPLICAOF", "NO", "ONE");
        }
        return replica;
    }

    @Test
    @Fault(26)
    void fault26_withReplicaAcksIsolatedMasterExtendsNoLease() {
        LockHandle former = locks(redis.master(), 1).lock("name", OPTIONS).acquire();
        LockManager there = locks(promoted(), 0);
        try (LockHandle next = there.lock("name", OPTIONS).acquire()) {
            assertThat(former.isValid()).isFalse();
            assertThat(next.fencingToken()).isGreaterThan(former.fencingToken());
        }
        former.close();
    }

    /** The guide does not promise a single holder without acknowledgements. */
    @Test
    @Fault(26)
    void fault26_withoutReplicaAcksOnlyTokensTellTwoHoldersApart() {
        LockHandle former = locks(redis.master(), 0).lock("name", OPTIONS).acquire();
        LockManager there = locks(promoted(), 0);
        try (LockHandle next = there.lock("name", OPTIONS).acquire()) {
            Await.during("both are valid", Duration.ofSeconds(1), () -> former.isValid() && next.isValid());
            assertThat(next.fencingToken()).isGreaterThan(former.fencingToken());
        }
        former.close();
    }
}
