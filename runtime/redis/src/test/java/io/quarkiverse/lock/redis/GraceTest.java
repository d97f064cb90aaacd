package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.redis.topology.Sentinels;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/** A Redis that loses what it had, with {@code quarkus.lock.redis.after-failover=grace}: faults 230 to 238. */
@DisplayNameGeneration(FaultDisplayNames.class)
class GraceTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration LONGEST = Duration.ofSeconds(3);
    private static final LockOptions WAITS = LockOptions.DEFAULTS.withWaitFor(SOON).withLease(LONGEST);
    private static final LockOptions TRIES = LockOptions.DEFAULTS.withWaitFor(Duration.ZERO).withLease(LONGEST);
    private static final String MARKER = "lock:1:marker";

    private final List<AutoCloseable> opened = new ArrayList<>();
    private RedisServer server;

    @BeforeEach
    void start() {
        server = opened(RedisServer.start("save \"3600 1\""));
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

    private static RedisLockOptions grace(Duration longest) {
        return RedisLockOptions.STANDARD.withGrace(longest);
    }

    private Jvm jvm(RedisLockOptions options) {
        return opened(new Jvm(server.url(), options));
    }

    private LockManager locks() {
        return locks(server);
    }

    private LockManager locks(RedisServer server) {
        return locks(server, grace(LONGEST));
    }

    private LockManager locks(RedisServer server, RedisLockOptions options) {
        var connections = RedisConnections.to(options,
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(server.url())));
        return opened(LockEngine.builder(new RedisLockBackend(connections, "test", "somebody")).start())
                .manager(ManagerDefaults.STANDARD);
    }

    /** So that a test need not sit out the first one. */
    private void awaitMarkerAndEndGrace() {
        try (TinyRedis redis = server.connect()) {
            Await.until("the marker is there", SOON, () -> redis.number("EXISTS", MARKER) == 1);
            redis.command("HSET", MARKER, "till", "1");
        }
    }

    private void awaitGrace(RedisServer server) {
        try (TinyRedis redis = server.connect()) {
            Await.until("a grace has begun", SOON, () -> {
                List<String> time = redis.list("TIME");
                String till = redis.text("HGET", MARKER, "till");
                return till != null && Long.parseLong(till) > Long.parseLong(time.get(0)) * 1000;
            });
        }
    }

    /** Longer than a lease and the grace: the one who has it keeps it, and nobody else gets it. */
    private void keepsItAlone(LockHandle held, LockManager other, RedisServer server) {
        awaitGrace(server);
        Await.during("the holder has it, and nobody else", Duration.ofSeconds(5), () -> {
            assertThat(other.lock("name", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(held.isValid()).isTrue();
            return true;
        });
        held.close();
        try (LockHandle next = other.lock("name", WAITS).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    @Fault(230)
    void fault230_whoeverHoldsKeepsItWhenAllDataAreDeleted() {
        LockManager holder = locks();
        LockManager other = locks();
        awaitMarkerAndEndGrace();
        LockHandle held = holder.lock("name", WAITS).acquire();
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
        }
        keepsItAlone(held, other, server);
    }

    @Test
    @Fault(230)
    void fault230_withoutGraceThereIsASecondHolder() {
        Jvm holder = jvm(RedisLockOptions.STANDARD).listening();
        Jvm other = jvm(RedisLockOptions.STANDARD).listening();
        Grant held = holder.grant("name");
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
        }
        Grant second = other.grant("name");
        assertThat(second.fence()).isGreaterThan(held.fence());
        assertThat(held.keptAt(holder.time.nanoTime())).isTrue();
        assertThat(second.keptAt(other.time.nanoTime())).isTrue();
    }

    @Test
    @Fault(231)
    void fault231_whoeverHoldsKeepsItWhenTheServerComesBackEmpty() {
        LockManager holder = locks();
        LockManager other = locks();
        awaitMarkerAndEndGrace();
        LockHandle held = holder.lock("name", WAITS).acquire();
        server.kill();
        server.restart();
        keepsItAlone(held, other, server);
    }

    @Test
    @Fault(232)
    void fault232_whoeverHoldsKeepsItWhenAnOlderBackupIsRestored() throws Exception {
        LockManager former = locks();
        LockManager holder = locks();
        LockManager other = locks();
        awaitMarkerAndEndGrace();
        // The backup knows a holder who has gone, and a marker whose grace is over
        LockHandle gone = former.lock("name", WAITS).acquire();
        Path dump = server.directory().resolve("dump.rdb");
        Path backup = server.directory().resolve("backup.rdb");
        try (TinyRedis redis = server.connect()) {
            redis.command("SAVE");
        }
        Files.copy(dump, backup);
        gone.close();
        LockHandle held = holder.lock("name", WAITS).acquire();
        server.kill();
        Files.copy(backup, dump, StandardCopyOption.REPLACE_EXISTING);
        server.restart();
        keepsItAlone(held, other, server);
    }

    /** Twice in a row, and each time the successor has never heard of the grant. */
    @Test
    @Fault(233)
    void fault233_whoeverHoldsKeepsItWhenReplicasWithoutTheGrantArePromoted() {
        Duration longest = Duration.ofSeconds(8);
        try (RedisSentinel redis = RedisSentinel.start(1, "min-replicas-to-write 1", "min-replicas-max-lag 2")) {
            LockManager holder = locks(redis, longest);
            LockManager other = locks(redis, longest);
            server = redis.master();
            awaitMarkerAndEndGrace();
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
                    // The sentinel would say so after some ten seconds, in which the successor has no replica and writes nothing
                    there.command("REPLICAOF", master.host(), "" + master.port());
                }
                awaitGrace(master);
                try (TinyRedis there = master.connect()) {
                    Await.until("the holder has put it back", SOON, () -> there.number("EXISTS", Store.KEY) == 1);
                }
                assertThat(other.lock("name", TRIES).tryAcquire(Duration.ZERO)).isEmpty();
                assertThat(held.isValid()).isTrue();
            }
            keepsItAlone(held, other, redis.master());
        }
    }

    private LockManager locks(RedisSentinel redis, Duration longest) {
        var connections = RedisConnections.toMaster(grace(longest), vertx -> Redis.createClient(vertx, new RedisOptions()
                .setType(RedisClientType.SENTINEL).setMasterName(RedisSentinel.MASTER).setAutoFailover(false)
                .setConnectionString(redis.url())),
                new Sentinels(RedisSentinel.MASTER, List.of(vertx -> Redis.createClient(vertx,
                        new RedisOptions().setConnectionString(redis.url())))));
        return opened(LockEngine.builder(new RedisLockBackend(connections, "test", "somebody")).start())
                .manager(ManagerDefaults.STANDARD);
    }

    @Test
    @Fault(234)
    void fault234_whoeverWaitsKeepsItsPlaceAndIsGrantedWhenTheGraceIsOver() {
        Jvm first = jvm(grace(LONGEST));
        Jvm second = jvm(grace(LONGEST));
        awaitMarkerAndEndGrace();
        Grant held = first.claim("name", true, LONGEST).grant();
        Jvm.Waiting waiting = second.claim("name", true, LONGEST);
        try (TinyRedis redis = server.connect()) {
            Await.until("it waits", SOON, () -> redis.list("HKEYS", Store.KEY).contains("w:" + waiting.claim.token()));
            String place = redis.text("HGET", Store.KEY, "w:" + waiting.claim.token()).split("\\|")[0];
            redis.command("HSET", MARKER, "inc", "another");
            first.renew(held);
            Jvm.Waiting later = first.claim("name", true, LONGEST);
            first.release(held);
            Await.until("both wait in the grace", SOON,
                    () -> redis.list("HKEYS", Store.KEY).contains("w:" + later.claim.token()));
            assertThat(redis.text("HGET", Store.KEY, "w:" + waiting.claim.token())).startsWith(place + "|");
            assertThat(waiting.answer).isNotDone();
            long before = System.nanoTime();
            Grant next = waiting.grant();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(8));
            assertThat(later.answer).isNotDone();
            second.release(next);
            first.release(later.grant());
        }
    }

    /** The master that sent it has died with the grant. */
    @Test
    @Fault(234)
    void fault234_aMessageOfWhatWasLostIsAskedAboutOnce() {
        Jvm jvm = jvm(grace(LONGEST)).listening();
        Jvm.Waiting waiting = jvm.claim("name", true, LONGEST);
        try (TinyRedis redis = server.connect()) {
            Await.until("it waits", SOON, () -> redis.list("HKEYS", Store.KEY).contains("w:" + waiting.claim.token()));
            redis.command("PUBLISH", jvm.link.channel(), "G|" + waiting.claim.token() + "|" + (1L << 52) + "|0");
            redis.command("CONFIG", "RESETSTAT");
            Await.during("it asks now and then", Duration.ofSeconds(1), () -> true);
            assertThat(redis.text("INFO", "commandstats")).containsPattern("cmdstat_evalsha:calls=\\d,");
        }
        assertThat(waiting.grant().fence()).isLessThan(1L << 52);
    }

    /** Answers of another kind say as well how much of it is left. */
    @Test
    @Fault(235)
    void fault235_anUnreadableNameDoesNotEndTheGraceForThisJvm() {
        Jvm jvm = jvm(grace(Jvm.LEASE)).listening();
        try (TinyRedis redis = server.connect()) {
            redis.command("HSET", Store.KEY, "v", "3|");
        }
        jvm.ask("other"); // by now it knows of the grace
        int rechecks = jvm.told.rechecks.get();
        for (int i = 0; i < 5; i++) {
            assertThat(RedisTest.failure(() -> jvm.ask("name"))).hasMessageContaining("format 3");
            jvm.ask("other");
        }
        assertThat(jvm.told.rechecks.get()).isEqualTo(rechecks);
    }

    @Test
    @Fault(235)
    void fault235_whatADeadHolderHadIsFreeAfterTheGrace() {
        Jvm holder = jvm(grace(LONGEST));
        Jvm other = jvm(grace(LONGEST));
        awaitMarkerAndEndGrace();
        Grant held = holder.claim("name", true, LONGEST).grant();
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
        }
        assertThat(other.claim("name", false, LONGEST).answer.join()).isInstanceOfSatisfying(Busy.class,
                busy -> assertThat(busy.heldBy()).startsWith("nobody, but none is granted for another "));
        Grant next = other.claim("name", true, LONGEST).grant();
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(holder.renew(held).lost()).as("too late").hasSize(1);
        other.release(next);
    }

    @Test
    @Fault(236)
    void fault236_whoDisagreesIsRefused() {
        LockManager locks = locks();
        awaitMarkerAndEndGrace();
        locks.lock("name", WAITS).acquire().close();
        LockManager longer = locks(server, grace(LONGEST.plusSeconds(1)));
        assertRefused(longer, "quarkus.lock.redis.longest-lease");
        LockManager atOnce = locks(server, RedisLockOptions.STANDARD);
        assertRefused(atOnce, "quarkus.lock.redis.after-failover");
        locks.lock("name", WAITS).acquire().close();
    }

    /** The locks of the others were lost with it. */
    @Test
    @Fault(236)
    void fault236_whoDisagreesIsRefusedAlsoWhenTheMarkerIsLost() {
        var connections = RedisConnections.to(grace(LONGEST),
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(server.url())));
        LockEngine first = LockEngine.builder(new RedisLockBackend(connections, "test", "somebody")).start();
        awaitMarkerAndEndGrace();
        first.manager(ManagerDefaults.STANDARD).lock("name", WAITS).acquire().close();
        LockManager shorter = locks(server, grace(LONGEST.minusSeconds(2)));
        LockManager atOnce = locks(server, RedisLockOptions.STANDARD);
        var tries = TRIES.withLease(LONGEST.minusSeconds(2));
        assertRefused(shorter, tries, "quarkus.lock.redis.longest-lease");
        assertRefused(atOnce, tries, "quarkus.lock.redis.after-failover");
        first.close();
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
            Await.during("nobody else begins", Duration.ofSeconds(6), () -> {
                assertThat(redis.command("HGETALL", MARKER)).asString().isEqualTo("[]");
                return true;
            });
        }
        assertRefused(shorter, tries, "quarkus.lock.redis.longest-lease");
        assertRefused(atOnce, tries, "quarkus.lock.redis.after-failover");
        locks().lock("name", WAITS).acquire().close();
    }

    /** It may be a moment until it has heard of the others. */
    private static void assertRefused(LockManager locks, String property) {
        assertRefused(locks, TRIES, property);
    }

    private static void assertRefused(LockManager locks, LockOptions tries, String property) {
        Await.until("it is refused", SOON, () -> {
            try {
                locks.lock("name", tries).tryAcquire(Duration.ZERO).ifPresent(LockHandle::close);
                return false;
            } catch (RuntimeException e) {
                assertThat(e).hasMessageContaining(property).hasMessageContaining(MARKER);
                return true;
            }
        });
    }

    @Test
    @Fault(237)
    void fault237_aLeaseAboveTheLongestIsRefused() {
        LockManager locks = locks();
        awaitMarkerAndEndGrace();
        LockOptions longer = WAITS.withLease(LONGEST.plusMillis(1));
        assertThat(RedisTest.failure(() -> locks.lock("name", longer).acquire()))
                .hasMessageContaining("quarkus.lock.redis.longest-lease=3s");
        assertThat(RedisTest.failure(() -> locks.all(longer, "name", "other").acquire()))
                .hasMessageContaining("quarkus.lock.redis.longest-lease=3s");
        try (LockHandle held = locks.lock("name", WAITS).acquire()) {
            assertThat(RedisTest.failure(() -> held.extend(LONGEST.plusSeconds(1))))
                    .hasMessageContaining("quarkus.lock.redis.longest-lease=3s");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    @Fault(238)
    void fault238_aMasterThatWouldGoOnAloneIsRefused() {
        try (RedisReplication redis = RedisReplication.start(2, "min-replicas-to-write 1", "min-replicas-max-lag 2")) {
            RedisServer master = redis.master();
            LockManager locks = locks(master);
            assertThat(RedisTest.failure(() -> locks.lock("name", WAITS).acquire()))
                    .hasMessageContaining("min-replicas-to-write 1").hasMessageContaining("at least 2 of 2");
            try (TinyRedis there = master.connect()) {
                there.command("CONFIG", "SET", "min-replicas-to-write", "2");
                Await.until("it is looked at again", SOON, () -> {
                    try {
                        return locks.lock("name", TRIES).tryAcquire(Duration.ZERO).isEmpty();
                    } catch (RuntimeException e) {
                        return false;
                    }
                });
                // longest lease, what the former master goes on for, and the margin
                assertThat(there.text("HGET", MARKER, "length")).isEqualTo("" + (3_000 + 4_000 + 60 + 100));
            }
        }
    }

    @Test
    @Fault(230)
    void fault230_readersAndWhoSharesALimitKeepTheirsToo() {
        LockManager locks = locks();
        LockManager other = locks();
        awaitMarkerAndEndGrace();
        var shared = WAITS.withMode(LockMode.SHARED);
        List<LockHandle> readers = List.of(locks.lock("name", shared).acquire(), other.lock("name", shared).acquire());
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
        }
        awaitGrace(server);
        Await.during("they are held", Duration.ofSeconds(5),
                () -> readers.stream().allMatch(LockHandle::isValid)
                        && locks.lock("name", TRIES).tryAcquire(Duration.ZERO).isEmpty());
        readers.forEach(LockHandle::close);
        locks.lock("name", WAITS).acquire().close();
    }
}
