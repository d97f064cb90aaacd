package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.redis.topology.Sentinels;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.proxy.Connection;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/** A master that dies and is replaced by a replica: fault 28. */
class SentinelTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static final int WAITERS = 50;

    @AutoClose
    private final Opened opened = new Opened();
    private RedisSentinel redis;

    @BeforeEach
    void start() {
        redis = opened.add(RedisSentinel.start(1));
    }

    private RedisConnections link(boolean autoFailover) {
        return link(autoFailover, new RedisOptions().setConnectionString(redis.url()));
    }

    /** @param news options of the connections for the sentinel's messages */
    private RedisConnections link(boolean autoFailover, RedisOptions news) {
        return RedisConnections.toMaster(RedisLockOptions.STANDARD, vertx -> Redis.createClient(vertx, new RedisOptions()
                .setType(RedisClientType.SENTINEL).setMasterName(RedisSentinel.MASTER).setAutoFailover(autoFailover)
                .setConnectionString(redis.url())),
                new Sentinels(RedisSentinel.MASTER, List.of(vertx -> Redis.createClient(vertx, news))));
    }

    private Jvm jvm(boolean autoFailover) {
        return opened.add(new Jvm(link(autoFailover)));
    }

    private LockManager locks() {
        return locks(ManagerDefaults.STANDARD);
    }

    private LockManager locks(ManagerDefaults defaults) {
        return opened.add(LockEngine.builder(new RedisLockBackend(link(false), "test", "somebody")).start()).manager(defaults);
    }

    @Fault(28)
    @Test
    void fault28_newMasterGrantsWaitersAndHoldersRecheckAtOnce() {
        Jvm holder = jvm(false).listening();
        // The client's own fail-over pulls a connection out from under its handlers.
        Jvm other = jvm(true).listening();
        var held = new ArrayList<Grant>();
        var waiting = new ArrayList<Jvm.Waiting>();
        for (int i = 0; i < WAITERS; i++) {
            held.add(holder.grant("name-" + i));
            waiting.add(other.claim("name-" + i));
        }
        RedisServer former = redis.master();
        awaitQueued(former, waiting);
        awaitAtReplica(former);
        awaitHeardBy(2);
        // From here on, only lost and new connections trigger requests
        holder.time.timers = false;
        other.time.timers = false;
        int checks = holder.told.rechecks.get();

        former.kill();
        RedisServer master = redis.awaitPromotion(former);
        long promoted = System.nanoTime();

        Await.until("the holder is asked to check", SOON, () -> holder.told.rechecks.get() > checks);
        assertThat(holder.renew(held.toArray(Grant[]::new)).renewed()).hasSize(WAITERS);
        held.forEach(holder::release);
        for (int i = 0; i < WAITERS; i++) {
            Grant next = waiting.get(i).grant();
            assertThat(next.fence()).isGreaterThan(held.get(i).fence());
            other.release(next);
        }
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - promoted)).isLessThan(15);
        awaitFree(master);
        Await.until("messages arrive again", SOON, () -> {
            try (TinyRedis there = master.connect()) {
                return !there.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").isEmpty();
            }
        });
    }

    /** What a fail-over can lose: the new master never received the lock. */
    @Fault({ 24, 25 })
    @Test
    void fault24_holderLearnsAtOnceOfLockMissingOnNewMaster() {
        LockManager holder = locks();
        LockManager other = locks();
        RedisServer former = redis.master();
        RedisServer replica = redis.servers().stream().filter(each -> each != former).findFirst().orElseThrow();
        replica.pause();
        try (TinyRedis there = former.connect()) {
            // Otherwise the replica would later read what was sent to it while paused.
            there.command("CLIENT", "KILL", "TYPE", "replica");
        }
        LockHandle lost = holder.lock("name", LockOptions.DEFAULTS.withLease(Duration.ofMinutes(5))).acquire();
        former.kill();
        replica.resume();
        redis.awaitPromotion(former);
        // Long before its next renewal.
        Await.until("the holder learns of it", SOON, () -> !lost.isValid());
        try (LockHandle next = other.lock("name", LockOptions.DEFAULTS.withWaitFor(SOON)).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
        }
        lost.close();
    }

    /** The former master keeps accepting writes for some seconds and closes no connection. */
    @Fault(102)
    @Test
    void fault102_plannedFailoverIsFollowedWhileFormerMasterRuns() {
        Jvm jvm = jvm(false);
        Grant held = jvm.grant("held");
        RedisServer former = redis.master();
        awaitAtReplica(former);
        awaitHeardBy(1);
        redis.failOver();
        RedisServer master = redis.awaitPromotion(former);
        assertThat(role(former)).as("the former master does not know yet").isEqualTo("master");
        Grant next = jvm.claim("name").grant();
        try (TinyRedis there = master.connect()) {
            assertThat(there.list("HKEYS", "lock:1:{test:name}")).contains("h:" + next.claim().token());
        }
        assertThat(jvm.renew(held).renewed()).hasSize(1);
        assertThat(role(former)).as("the former master does not know yet").isEqualTo("master");
    }

    /** The successor may never have received it. */
    @Fault(451)
    @Test
    void fault451_keptLockIsNotReusedOnceFailoverStarts() {
        LockManager locks = locks(new ManagerDefaults("keeping", Duration.ofSeconds(60), Duration.ofSeconds(120), true, null,
                OnLost.FAIL, Duration.ofSeconds(60)));
        RedisServer former = redis.master();
        awaitHeardBy(1);
        var kept = new AtomicLong();
        // A lock kept while the JVM subscribes is released
        Await.until("it is kept", SOON, () -> {
            kept.set(token(locks));
            return token(locks) == kept.get() + 1;
        });
        awaitAtReplica(former);
        RedisServer successor = redis.replicas().get(0);
        successor.pause(); // so that the fail-over proceeds only after the resume
        redis.failOver();
        awaitNoListeners(former);

        var next = locks.lock("name").acquireAsync().subscribeAsCompletionStage();
        successor.resume();
        LockHandle hold = Jvm.get(next);
        assertThat(hold.fencingToken()).as("token of another grant").isGreaterThan(kept.get() + Grant.TOKENS_PER_FENCE);
        hold.close();
    }

    private static long token(LockManager locks) {
        try (LockHandle hold = locks.lock("name").acquire()) {
            return hold.fencingToken();
        }
    }

    private static void awaitNoListeners(RedisServer server) {
        try (TinyRedis there = server.connect()) {
            Await.until("no JVM listens to the server", SOON,
                    () -> there.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").isEmpty());
        }
    }

    /** It missed the start of the fail-over, so the former master would serve it like any other client. */
    @Fault(102)
    @Test
    void fault102_jvmStartedDuringFailoverIgnoresFormerMaster() {
        RedisServer successor = redis.replicas().get(0);
        redis.failOver();
        Await.until("the successor has begun", SOON, () -> role(successor).equals("master"));
        successor.pause(); // so that the sentinel still names the former master
        Jvm jvm = jvm(false);
        Jvm.Waiting waiting = jvm.claim("name");
        Await.during("the former master grants nothing", Duration.ofSeconds(1), () -> !waiting.answer.isDone());
        successor.resume();
        Grant grant = waiting.grant();
        try (TinyRedis there = successor.connect()) {
            assertThat(there.list("HKEYS", "lock:1:{test:name}")).contains("h:" + grant.claim().token());
        }
    }

    @Fault(390)
    @Test
    void fault390_deadSentinelConnectionIsReplaced() {
        followsAfterSilence(true);
    }

    /** RESP2 does not distinguish replies from messages. */
    @Fault(390)
    @Test
    void fault390_deadResp2SentinelConnectionIsReplaced() {
        followsAfterSilence(false);
    }

    /** A firewall drops the idle connection: nothing arrives any more, and neither side is notified. */
    private void followsAfterSilence(boolean resp3) {
        RedisServer former = redis.master();
        FaultProxy path = opened.add(FaultProxy.to(redis.sentinel().host(), redis.sentinel().port()));
        Jvm jvm = opened.add(new Jvm(link(false, new RedisOptions().setProtocolNegotiation(resp3)
                .setConnectionString("redis://" + path.host() + ":" + path.port()))));
        jvm.grant("held");
        Connection dead = awaitListener(path, null);
        Await.until("it looks whether the link works", SOON, () -> dead.sent().contains("ping"));
        Await.during("a link that works stays", Duration.ofSeconds(3), () -> path.connections().contains(dead));

        dead.mode(Mode.BLACKHOLE);
        awaitListener(path, dead);
        awaitAtReplica(former);
        redis.failOver();
        RedisServer master = redis.awaitPromotion(former);
        Grant next = jvm.claim("name").grant();
        try (TinyRedis there = master.connect()) {
            assertThat(there.list("HKEYS", "lock:1:{test:name}")).contains("h:" + next.claim().token());
        }
        assertThat(role(former)).as("the former master does not know yet").isEqualTo("master");
    }

    @Fault(397)
    @Test
    void fault397_deniedSentinelSubscriptionWarnsOnceAndIsRetried() {
        try (TinyRedis there = redis.sentinel().connect(); var log = LogLines.warnings(Sentinels.class.getPackageName())) {
            there.command("ACL", "SETUSER", "locks", "on", ">secret", "resetchannels", "+hello", "+ping", "+subscribe",
                    "+sentinel");
            FaultProxy path = opened.add(FaultProxy.to(redis.sentinel().host(), redis.sentinel().port()));
            Jvm jvm = opened.add(new Jvm(link(false,
                    new RedisOptions().setConnectionString("redis://locks:secret@" + path.host() + ":" + path.port()))));
            Await.until("it is warned about", SOON, () -> !log.messages().isEmpty());
            jvm.release(jvm.grant("name"));
            int dialled = path.accepted();
            Await.until("it is tried again", SOON, () -> path.accepted() > dialled);

            there.command("ACL", "SETUSER", "locks", "&+failover-state-select-slave", "&+switch-master",
                    "&-failover-abort-no-good-slave", "&-failover-abort-slave-timeout");
            awaitHeardBy(1);
            assertThat(log.messages()).singleElement().asString().contains(RedisSentinel.MASTER)
                    .contains("+subscribe +ping").contains("&+switch-master");
        }
    }

    private static Connection awaitListener(FaultProxy path, Connection otherThan) {
        var found = new AtomicReference<Connection>();
        Await.until("the sentinel is listened to", SOON, () -> {
            path.connections().stream().filter(each -> each != otherThan && each.sent().contains("subscribe"))
                    .forEach(found::set);
            return found.get() != null;
        });
        return found.get();
    }

    /** The successor may lack a hold, and the holder learns this from its renewal. */
    @Fault(144)
    @Test
    void fault144_pendingClaimsAreSentAfterRenewals() throws Exception {
        LockManager locks = locks();
        Jvm other = jvm(false).listening();
        RedisServer former = redis.master();
        RedisServer successor = redis.replicas().get(0);
        var callers = new ArrayList<CompletableFuture<LockHandle>>();
        var options = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60));
        LockHandle held = locks.lock("held", options).acquire();
        for (int i = 0; i < 10; i++) {
            other.grant("name-" + i);
            callers.add(locks.lock("name-" + i, options).acquireAsync().subscribeAsCompletionStage());
        }
        awaitAtReplica(former);
        awaitHeardBy(2);

        redis.failOver();
        Await.until("the successor has begun", SOON, () -> role(successor).equals("master"));
        List<String> commands = new ArrayList<>();
        try (TinyRedis monitor = successor.connect()) {
            monitor.command("MONITOR");
            while (commands.stream().noneMatch(each -> each.contains("{test:name-"))) {
                commands.add(String.valueOf(monitor.read()));
            }
        }
        assertThat(commands).as("commands to the successor before the first claim")
                .anyMatch(each -> each.contains("{test:held}"));
        assertThat(held.isValid()).isTrue();
        callers.forEach(each -> each.cancel(false));
        held.close();
    }

    private static String role(RedisServer server) {
        try (TinyRedis there = server.connect()) {
            return String.valueOf(there.info("role"));
        } catch (UncheckedIOException e) {
            return "changing"; // the change closes its connections
        }
    }

    @Test
    void callersOfManyNamesSurviveFailover() {
        LockManager first = locks();
        LockManager second = locks();
        var options = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60)).withLease(Duration.ofSeconds(5));
        var holds = new ArrayList<LockHandle>();
        var callers = new ArrayList<CompletableFuture<LockHandle>>();
        for (int i = 0; i < 20; i++) {
            holds.add(first.lock("name-" + i, options).acquire());
            callers.add(second.lock("name-" + i, options).acquireAsync().subscribeAsCompletionStage());
        }
        RedisServer former = redis.master();
        former.kill();
        RedisServer master = redis.awaitPromotion(former);
        holds.forEach(LockHandle::close);
        for (int i = 0; i < 20; i++) {
            LockHandle hold = Jvm.get(callers.get(i));
            assertThat(hold.fencingToken()).isGreaterThan(holds.get(i).fencingToken());
            hold.close();
        }
        awaitFree(master);
    }

    /** Otherwise a JVM on a busy machine may find the sentinel late and learn of the fail-over again. */
    private void awaitHeardBy(int jvms) {
        Await.until(jvms + " JVMs listen to the sentinel", SOON, () -> {
            try (TinyRedis there = redis.sentinel().connect()) {
                return String.valueOf(there.text("CLIENT", "LIST")).lines().filter(line -> line.contains(" sub=4 "))
                        .count() == jvms;
            }
        });
    }

    private static void awaitQueued(RedisServer server, List<Jvm.Waiting> waiting) {
        try (TinyRedis there = server.connect()) {
            for (Jvm.Waiting each : waiting) {
                Await.until("it is queued", SOON, () -> there.list("HKEYS", "lock:1:{test:" + each.claim.name() + "}")
                        .contains("w:" + each.claim.token()));
            }
        }
    }

    private static void awaitAtReplica(RedisServer master) {
        try (TinyRedis there = master.connect()) {
            Await.until("the replica has it", SOON, () -> {
                there.command("SET", "sync", "");
                return there.number("WAIT", "1", "1000") == 1;
            });
        }
    }

    private static void awaitFree(RedisServer server) {
        try (TinyRedis there = server.connect()) {
            Await.until(() -> "nobody holds or waits", SOON, () -> there.keys("lock:*").stream()
                    .allMatch(key -> there.list("HKEYS", key).stream()
                            .noneMatch(field -> field.startsWith("h:") || field.startsWith("w:"))));
        }
    }
}
