package io.quarkiverse.lock.redis;

import static io.quarkiverse.lock.redis.GraceStage.LONGEST;
import static io.quarkiverse.lock.redis.GraceStage.MARKER;
import static io.quarkiverse.lock.redis.GraceStage.SOON;
import static io.quarkiverse.lock.redis.GraceStage.TRIES;
import static io.quarkiverse.lock.redis.GraceStage.WAITS;
import static io.quarkiverse.lock.redis.GraceStage.grace;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.redis.topology.Sentinels;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/** Grace periods when replicas replace masters: faults 233, 238, 254 and 255. */
@DisplayNameGeneration(FaultDisplayNames.class)
class GraceReplicasTest {

    private final GraceStage stage = new GraceStage();

    @AfterEach
    void closeAll() throws Exception {
        stage.close();
    }

    /** Twice in a row; each time the successor lacks the grant. */
    @Test
    @Fault(233)
    void fault233_holderKeepsLockWhenReplicaWithoutItIsPromoted() {
        // The lease is not extended before the former masters would have stopped
        Duration longest = Duration.ofSeconds(30);
        try (RedisSentinel redis = RedisSentinel.start(1, "min-replicas-to-write 1", "min-replicas-max-lag 2")) {
            LockManager holder = locks(redis, longest);
            LockManager other = locks(redis, longest);
            stage.awaitMarkerAndEndGrace(redis.master());
            LockHandle held = holder.lock("name", WAITS.withLease(longest)).acquire();
            for (int i = 0; i < 2; i++) {
                RedisServer former = redis.master();
                redis.awaitReady();
                try (TinyRedis replica = redis.replicas().get(0).connect()) {
                    Await.until("the replica has it", SOON, () -> replica.number("EXISTS", Store.KEY) == 1);
                    replica.command("CONFIG", "SET", "replica-read-only", "no");
                    replica.command("DEL", Store.KEY); // as if it had lagged behind
                }
                redis.failOver();
                RedisServer master = redis.awaitPromotion(former);
                try (TinyRedis there = former.connect()) {
                    // The sentinel would take some ten seconds; without a replica, the successor accepts no writes
                    there.command("REPLICAOF", master.host(), "" + master.port());
                }
                stage.awaitGrace(master);
                try (TinyRedis there = master.connect()) {
                    Await.until("the holder has put it back", SOON, () -> there.number("EXISTS", Store.KEY) == 1);
                }
                assertThat(other.lock("name", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
                assertThat(held.isValid()).isTrue();
            }
            try (TinyRedis there = redis.master().connect()) {
                // Shortens the grace to save time
                long soon = Long.parseLong(there.list("TIME").get(0)) * 1000 + 7_000;
                there.command("HSET", MARKER, "till", "" + soon);
            }
            stage.keepsItAlone(held, other, redis.master(), LONGEST);
        }
    }

    private LockManager locks(RedisSentinel redis, Duration longest) {
        var connections = RedisConnections.toMaster(grace(longest), vertx -> Redis.createClient(vertx, new RedisOptions()
                .setType(RedisClientType.SENTINEL).setMasterName(RedisSentinel.MASTER).setAutoFailover(false)
                .setConnectionString(redis.url())),
                new Sentinels(RedisSentinel.MASTER, List.of(vertx -> Redis.createClient(vertx,
                        new RedisOptions().setConnectionString(redis.url())))));
        return stage.locks(connections);
    }

    @Test
    @Fault(238)
    void fault238_tooLowMinReplicasToWriteIsRejected() {
        try (RedisReplication redis = RedisReplication.start(2, "min-replicas-to-write 1", "min-replicas-max-lag 2")) {
            RedisServer master = redis.master();
            LockManager locks = stage.locks(master);
            assertThat(RedisTest.failure(() -> locks.lock("name", WAITS).acquire()))
                    .hasMessageContainingAll("hosts) is not used for locks: it has min-replicas-to-write 1 ",
                            "of at least 2, the number of its replicas, and");
            try (TinyRedis there = master.connect()) {
                there.command("CONFIG", "SET", "min-replicas-to-write", "2");
                Await.until("it is looked at again", SOON, () -> {
                    try {
                        return locks.lock("name", TRIES).tryAcquire(Duration.ZERO).isEmpty();
                    } catch (RuntimeException e) {
                        return false;
                    }
                });
                // longest lease, the time the former master may continue, and the margin
                assertThat(there.text("HGET", MARKER, "length")).isEqualTo("" + (3_000 + 4_000 + 60 + 100));
            }
        }
    }

    /** A newly started application may be its first client. */
    @Test
    @Fault(254)
    void fault254_graceOfNewMasterAllowsForFormerMaster() {
        RedisServer promoted = stage.opened(RedisServer.start("min-replicas-to-write 1", "min-replicas-max-lag 2",
                "repl-diskless-sync-delay 0"));
        LockManager locks = stage.locks(promoted);
        try (TinyRedis there = promoted.connect()) {
            Await.until("it has looked, and asked for something", SOON,
                    () -> there.text("INFO", "commandstats").contains("cmdstat_eval"));
            stage.opened(RedisServer.start("replicaof " + promoted.host() + " " + promoted.port()));
            Await.until("the replica counts", SOON, () -> "1".equals(there.info("min_slaves_good_slaves")));
            assertThat(locks.lock("name", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(there.text("HGET", MARKER, "length")).isEqualTo("" + (3_000 + 4_000 + 60 + 100));
        }
    }

    /** The former master does not learn that the holder renews its lease at the new one. */
    @Test
    @Fault(255)
    void fault255_leaseIsNotExtendedWhileFormerMasterMayGrant() {
        Duration longest = Duration.ofSeconds(6);
        String[] rules = { "min-replicas-to-write 1", "min-replicas-max-lag 10", "repl-diskless-sync-delay 0" };
        RedisServer former = stage.opened(RedisServer.start(rules));
        RedisServer next = stage.opened(RedisServer.start(rules));
        RedisServer last = stage.opened(RedisServer.start(rules));
        FaultProxy stream = stage.opened(FaultProxy.to(former.host(), former.port()));
        FaultProxy way = stage.opened(FaultProxy.to(former.host(), former.port()));
        follow(next, stream.port());
        follow(last, next.port());
        var master = new AtomicInteger(way.port());
        LockManager holder = stage.locks(RedisConnections.to(grace(longest), vertx -> Redis.createClient(vertx,
                new RedisOptions().setConnectionString("redis://" + way.host() + ":" + master.get()))));
        LockManager other = stage.locks(former, grace(longest));
        stage.awaitMarkerAndEndGrace(former);
        LockHandle held = holder.lock("name", WAITS.withLease(longest)).acquire();
        stream.blackhole();
        try (TinyRedis there = next.connect()) {
            there.command("REPLICAOF", "NO", "ONE");
        }
        master.set(next.port());
        way.cut();
        stage.awaitGrace(next);
        try (LockHandle second = other.lock("name", WAITS.withLease(longest)).acquire()) {
            assertThat(held.isValid()).isFalse();
            assertThat(second.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    private static void follow(RedisServer server, int master) {
        try (TinyRedis there = server.connect()) {
            there.command("REPLICAOF", server.host(), "" + master);
            Await.until("it follows", SOON, () -> "up".equals(there.info("master_link_status")));
        }
    }
}
