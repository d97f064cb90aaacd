package io.quarkiverse.lock.redis;

import static io.quarkiverse.lock.redis.GraceStage.LONGEST;
import static io.quarkiverse.lock.redis.GraceStage.MARKER;
import static io.quarkiverse.lock.redis.GraceStage.SOON;
import static io.quarkiverse.lock.redis.GraceStage.TRIES;
import static io.quarkiverse.lock.redis.GraceStage.WAITS;
import static io.quarkiverse.lock.redis.GraceStage.grace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Redis loses its data, with {@code quarkus.lock.redis.after-failover=grace}: faults 230 to 237. */
@DisplayNameGeneration(FaultDisplayNames.class)
class GraceTest {

    /** Longer than a busy machine takes to restart the server. */
    private static final Duration RESTART = Duration.ofSeconds(8);

    private final GraceStage stage = new GraceStage();
    private RedisServer server;

    @BeforeEach
    void start() {
        server = stage.opened(RedisServer.start("save \"3600 1\""));
    }

    @AfterEach
    void closeAll() throws Exception {
        stage.close();
    }

    private Jvm jvm(RedisLockOptions options) {
        return stage.opened(new Jvm(server.url(), options));
    }

    private LockManager locks() {
        return stage.locks(server);
    }

    @Test
    @Fault(230)
    void fault230_holderKeepsLockWhenAllDataIsDeleted() {
        LockManager holder = locks();
        LockManager other = locks();
        stage.awaitMarkerAndEndGrace(server);
        LockHandle held = holder.lock("name", WAITS).acquire();
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
        }
        stage.keepsItAlone(held, other, server, LONGEST);
    }

    @Test
    @Fault(230)
    void fault230_dataLossWithoutGraceAllowsSecondHolder() {
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

    /** The holder does not learn of the forced release, and the server keeps its data. */
    @Test
    @Fault(459)
    void fault459_forciblyReleasedReaderCannotReclaim() {
        Jvm reader = jvm(GraceStage.grace(Jvm.LEASE));
        Jvm writer = jvm(GraceStage.grace(Jvm.LEASE));
        stage.awaitMarkerAndEndGrace(server);
        Grant read = (Grant) Jvm.get(reader.backend.acquire(new Claim("name", 7, 1, LockMode.SHARED, 0, Jvm.LEASE.toNanos(),
                false)));
        assertThat(Jvm.get(writer.backend.forceRelease("name"))).isTrue();
        writer.release(writer.grant("name"));
        try (TinyRedis redis = server.connect()) {
            redis.command("HSET", GraceStage.MARKER, "inc", "another");
        }

        assertThat(reader.renew(read).lost()).hasSize(1);

        stage.awaitGrace(server);
    }

    /** Also if the release is the first request for the lost lock. */
    @Test
    @Fault(310)
    void fault310_holderKeepsLockDuringGraceWithoutMemory() {
        LockManager holder = locks();
        stage.awaitMarkerAndEndGrace(server);
        LockHandle held = holder.lock("name", WAITS).acquire();
        LockHandle given = holder.lock("given", WAITS).acquire();
        try (TinyRedis redis = server.connect()) {
            redis.command("CONFIG", "SET", "maxmemory", "1");
            redis.command("FLUSHALL");
            given.close();
            Await.during("it is held", LONGEST.plusSeconds(1), held::isValid);
            held.close();
            assertThat(redis.list("HKEYS", Store.KEY)).isNotEmpty().noneMatch(field -> field.startsWith("h:"));
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
        try (LockHandle next = locks().lock("name", WAITS).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    @Fault(231)
    void fault231_holderKeepsLockWhenServerRestartsEmpty() {
        LockManager holder = stage.locks(server, grace(RESTART));
        LockManager other = stage.locks(server, grace(RESTART));
        stage.awaitMarkerAndEndGrace(server);
        LockHandle held = holder.lock("name", WAITS.withLease(RESTART)).acquire();
        server.kill();
        server.restart();
        stage.keepsItAlone(held, other, server, RESTART);
    }

    @Test
    @Fault(232)
    void fault232_holderKeepsLockWhenOldBackupIsRestored() throws Exception {
        LockManager former = stage.locks(server, grace(RESTART));
        LockManager holder = stage.locks(server, grace(RESTART));
        LockManager other = stage.locks(server, grace(RESTART));
        stage.awaitMarkerAndEndGrace(server);
        // The backup contains a former holder and a marker whose grace has ended
        LockHandle gone = former.lock("name", WAITS.withLease(RESTART)).acquire();
        Path dump = server.directory().resolve("dump.rdb");
        Path backup = server.directory().resolve("backup.rdb");
        try (TinyRedis redis = server.connect()) {
            redis.command("SAVE");
        }
        Files.copy(dump, backup);
        gone.close();
        LockHandle held = holder.lock("name", WAITS.withLease(RESTART)).acquire();
        server.kill();
        Files.copy(backup, dump, StandardCopyOption.REPLACE_EXISTING);
        server.restart();
        stage.keepsItAlone(held, other, server, RESTART);
    }

    @Test
    @Fault(234)
    void fault234_waiterKeepsItsPlaceAndIsGrantedAfterGrace() {
        Jvm first = jvm(grace(LONGEST));
        Jvm second = jvm(grace(LONGEST));
        stage.awaitMarkerAndEndGrace(server);
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

    /** The master that sent it is dead, and the grant is lost. */
    @Test
    @Fault(234)
    void fault234_messageAboutLostGrantCausesFewRequests() {
        Jvm jvm = jvm(grace(LONGEST)).listening();
        Jvm.Waiting waiting = jvm.claim("name", true, LONGEST);
        try (TinyRedis redis = server.connect()) {
            Await.until("it waits", SOON, () -> redis.list("HKEYS", Store.KEY).contains("w:" + waiting.claim.token()));
            ScriptCalls.reset(redis);
            long from = System.nanoTime();
            redis.command("PUBLISH", jvm.link.channel(), "G|" + waiting.claim.token() + "|" + (1L << 52) + "|0");
            Await.until("it has asked", SOON, () -> ScriptCalls.count(redis) > 0);
            Await.during("it asks about once a second", Duration.ofSeconds(1), () -> {
                int calls = ScriptCalls.count(redis);
                assertThat(calls).isLessThanOrEqualTo(3 + (int) Duration.ofNanos(System.nanoTime() - from).toSeconds());
                return true;
            });
        }
        assertThat(waiting.grant().fence()).isLessThan(1L << 52);
    }

    /** Other replies also carry the remaining grace. */
    @Test
    @Fault(235)
    void fault235_unreadableNameDoesNotEndGraceForJvm() {
        Jvm jvm = jvm(grace(Jvm.LEASE)).listening();
        try (TinyRedis redis = server.connect()) {
            redis.command("HSET", Store.KEY, "v", "3|");
        }
        jvm.ask("other"); // now it knows of the grace
        int rechecks = jvm.told.rechecks.get();
        for (int i = 0; i < 5; i++) {
            assertThat(RedisTest.failure(() -> jvm.ask("name"))).hasMessageContaining("format 3");
            jvm.ask("other");
        }
        assertThat(jvm.told.rechecks.get()).isEqualTo(rechecks);
    }

    @Test
    @Fault(235)
    void fault235_lockOfDeadHolderIsFreeAfterGrace() {
        Jvm holder = jvm(grace(LONGEST));
        Jvm other = jvm(grace(LONGEST));
        stage.awaitMarkerAndEndGrace(server);
        Grant held = holder.claim("name", true, LONGEST).grant();
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
        }
        assertThat(other.claim("name", false, LONGEST).answer.join()).isInstanceOfSatisfying(Busy.class,
                busy -> assertThat(busy.heldBy()).startsWith("nobody, but no lock is granted for another "));
        Grant next = other.claim("name", true, LONGEST).grant();
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(holder.renew(held).lost()).as("too late").hasSize(1);
        other.release(next);
    }

    @Test
    @Fault(236)
    void fault236_clientWithOtherSettingsIsRejected() {
        LockManager locks = locks();
        stage.awaitMarkerAndEndGrace(server);
        locks.lock("name", WAITS).acquire().close();
        LockManager longer = stage.locks(server, grace(LONGEST.plusSeconds(1)));
        assertRefused(longer, "quarkus.lock.redis.longest-lease");
        LockManager atOnce = stage.locks(server, RedisLockOptions.STANDARD);
        assertRefused(atOnce, "quarkus.lock.redis.after-failover");
        locks.lock("name", WAITS).acquire().close();
    }

    @Test
    void logNamesDifferingFailoverSettings() {
        locks();
        stage.awaitMarkerAndEndGrace(server);
        String of = "Redis (quarkus.redis.hosts) is not used for locks: other applications with "
                + "quarkus.lock.redis.key-prefix=lock: have other settings for a fail-over "
                + "(quarkus.lock.redis.after-failover=grace";
        try (var log = LogLines.warnings(RedisConnections.class.getPackageName())) {
            assertRefused(stage.locks(server, grace(LONGEST.plusSeconds(1))), of + ", longest-lease=3000ms), and rely on them");
            assertRefused(stage.locks(server, RedisLockOptions.STANDARD), of + "), and rely on them");
            assertThat(log.messages()).hasSize(2).allSatisfy(line -> assertThat(line).startsWith(of).endsWith(MARKER));
        }
    }

    @Test
    @Fault(236)
    void fault236_clientWithoutGraceIsRejectedAtFirstLock() {
        locks();
        stage.awaitMarkerAndEndGrace(server);
        LockManager atOnce = stage.locks(server, RedisLockOptions.STANDARD);
        assertThatThrownBy(() -> atOnce.lock("name", TRIES).tryAcquire(Duration.ZERO))
                .hasMessageContaining("quarkus.lock.redis.after-failover");
    }

    /** The locks of the others were lost with it. */
    @Test
    @Fault(236)
    void fault236_clientWithOtherSettingsIsRejectedAfterMarkerLoss() {
        Set<String> others = clients();
        var connections = RedisConnections.to(grace(LONGEST),
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(server.url())));
        LockEngine first = LockEngine.builder(new RedisLockBackend(connections, "test", "somebody")).start();
        stage.awaitMarkerAndEndGrace(server);
        first.manager(ManagerDefaults.STANDARD).lock("name", WAITS).acquire().close();
        Set<String> its = clients();
        its.removeAll(others);
        LockManager shorter = stage.locks(server, grace(LONGEST.minusSeconds(2)));
        LockManager atOnce = stage.locks(server, RedisLockOptions.STANDARD);
        var tries = TRIES.withLease(LONGEST.minusSeconds(2));
        assertRefused(shorter, tries, "quarkus.lock.redis.longest-lease");
        assertRefused(atOnce, tries, "quarkus.lock.redis.after-failover");
        first.close();
        Await.until("none of its requests is left", SOON, () -> Collections.disjoint(clients(), its));
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

    /** The addresses of the server's connections. */
    private Set<String> clients() {
        try (TinyRedis redis = server.connect()) {
            return Arrays.stream(redis.text("CLIENT", "LIST").split("[ \n]")).filter(word -> word.startsWith("addr="))
                    .collect(Collectors.toSet());
        }
    }

    /** The server answers, but grants no lock to this application. */
    @Test
    @Fault(433)
    void fault433_backendIsNotReadyWhenServerRejectsSettings() {
        locks();
        stage.awaitMarkerAndEndGrace(server);
        var allowed = new RedisLockBackend(stage.connections(server, grace(LONGEST)), "test", "somebody");
        stage.opened(LockEngine.builder(allowed).start());
        allowed.ready("probe").await().atMost(SOON);
        var refused = new RedisLockBackend(stage.connections(server, RedisLockOptions.STANDARD), "test", "somebody");
        stage.opened(LockEngine.builder(refused).start());
        assertThatThrownBy(() -> refused.ready("probe").await().atMost(SOON)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("quarkus.lock.redis.after-failover");
        assertThat(refused.inspect("name").await().atMost(SOON)).as("inspection still works").isEmpty();
    }

    /** It may take a moment until the backend knows the settings of others. */
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
    void fault237_leaseAboveLongestLeaseIsRejected() {
        LockManager locks = locks();
        stage.awaitMarkerAndEndGrace(server);
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
    @Fault(230)
    void fault230_readersKeepLockWhenAllDataIsDeleted() {
        LockManager locks = locks();
        LockManager other = locks();
        stage.awaitMarkerAndEndGrace(server);
        var shared = WAITS.withMode(LockMode.SHARED);
        List<LockHandle> readers = List.of(locks.lock("name", shared).acquire(), other.lock("name", shared).acquire());
        List<LockHandle> counted = List.of(locks.lock("counted", WAITS.withLimit(2)).acquire(),
                other.lock("counted", WAITS.withLimit(2)).acquire());
        try (TinyRedis redis = server.connect()) {
            redis.command("FLUSHALL");
        }
        stage.awaitGrace(server);
        Await.during("they are held", Duration.ofSeconds(5),
                () -> readers.stream().allMatch(LockHandle::isValid) && counted.stream().allMatch(LockHandle::isValid)
                        && locks.lock("name", TRIES).tryAcquire(Duration.ZERO).isEmpty()
                        && locks.lock("counted", TRIES.withLimit(2)).tryAcquire(Duration.ZERO).isEmpty());
        readers.forEach(LockHandle::close);
        counted.get(0).close();
        locks.lock("counted", WAITS.withLimit(2)).acquire().close();
        counted.get(1).close();
        locks.lock("name", WAITS).acquire().close();
    }
}
