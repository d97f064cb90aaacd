package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A master with one replica and replica-acks=1: only acknowledged writes count. */
class ReplicaAcksTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private static RedisReplication redis;

    private final Opened opened = new Opened();
    private RedisServer replica;
    private Store store;

    @BeforeAll
    static void start() {
        redis = RedisReplication.start(1);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        replica = redis.replicas().get(0);
        store = opened.add(new Store(redis.master()));
        store.redis.command("FLUSHALL");
    }

    @AfterEach
    void closeAll() throws Exception {
        replica.resume();
        opened.close();
        redis.awaitInSync();
    }

    private static RedisConnections link() {
        return link(vertx -> client(vertx, redis.master().url()));
    }

    private static RedisConnections link(Function<Vertx, Redis> clients) {
        return RedisConnections.to(new RedisLockOptions("lock:", Duration.ofMillis(1_800), Duration.ofSeconds(60), false,
                "quarkus.redis.", 1), clients);
    }

    private static Redis client(Vertx vertx, String url) {
        return Redis.createClient(vertx, new RedisOptions().setConnectionString(url));
    }

    private Jvm jvm() {
        return opened.add(new Jvm(link()));
    }

    private LockManager locks() {
        return locks(link());
    }

    private LockManager locks(RedisConnections link) {
        var backend = new RedisLockBackend(link, "test", "somebody");
        return opened.add(LockEngine.builder(backend).start()).manager(ManagerDefaults.STANDARD);
    }

    /** The reason for the separate connection. */
    @Test
    void waitOnOtherConnectionDoesNotCoverWrites() {
        try (TinyRedis other = redis.master().connect()) {
            replica.pause();
            store.redis.command("SET", "key", "value");
            assertThat(other.number("WAIT", "1", "100")).isEqualTo(1);
            assertThat(store.redis.number("WAIT", "1", "100")).isZero();
        }
    }

    /** As when the master is demoted during the wait. */
    @Test
    @Fault(460)
    void fault460_waiterContinuesAfterUnblockedReplicaWait() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("other"));
        replica.pause();
        Jvm.Waiting waiting = jvm.claim("name");
        Await.until("it is ended", SOON, () -> {
            for (String client : store.redis.text("CLIENT", "LIST").split("\n")) {
                if (client.contains(" cmd=wait ")) {
                    String id = client.replaceFirst("^id=(\\d+) .*", "$1");
                    return store.redis.number("CLIENT", "UNBLOCK", id, "ERROR") == 1;
                }
            }
            return false;
        });
        Await.until("it is known", SOON, () -> waiting.answer.isDone() || waiting.claim.trouble() != null);
        replica.resume();
        jvm.release(waiting.grant());
    }

    /** The script has to be sent again, so WAIT is sent only after its reply. */
    @Test
    @Fault(460)
    void fault460_waiterContinuesWhenMasterIsDemotedBeforeReply() {
        try (FaultProxy path = FaultProxy.to(redis.master().host(), redis.master().port())) {
            Jvm jvm = opened.add(new Jvm(link(vertx -> client(vertx, "redis://" + path.host() + ":" + path.port()))));
            jvm.release(jvm.grant("other"));
            store.redis.command("SCRIPT", "FLUSH");
            path.delayReplies(Duration.ofMillis(500));
            Jvm.Waiting waiting = jvm.claim("name");
            Await.until("it is granted", SOON, () -> store.redis.number("EXISTS", Store.KEY) == 1);
            store.redis.command("REPLICAOF", "127.0.0.1", "1");
            path.delayReplies(Duration.ZERO);
            Await.until("it is known", SOON, () -> waiting.answer.isDone() || waiting.claim.trouble() != null);
            store.redis.command("REPLICAOF", "NO", "ONE");
            jvm.release(waiting.grant());
        }
    }

    @Test
    void grantedLocksAreOnTheReplica() {
        Jvm jvm = jvm();
        store.redis.command("CONFIG", "RESETSTAT");
        var waiting = new ArrayList<Jvm.Waiting>();
        for (int i = 0; i < 200; i++) {
            waiting.add(jvm.claim("name-" + i));
        }
        var grants = new ArrayList<Grant>();
        try (TinyRedis there = replica.connect()) {
            for (int i = 0; i < 200; i++) {
                Grant grant = waiting.get(i).grant();
                assertThat(there.list("HKEYS", "lock:1:{test:name-" + i + "}")).contains("h:" + grant.claim().token());
                grants.add(grant);
            }
            assertThat(jvm.renew(grants.toArray(Grant[]::new)).renewed()).hasSize(200);
            assertThat(waits()).as("one WAIT covers many requests").isLessThan(100);
            grants.forEach(jvm::release);
        }
        Await.until("all are released", SOON, () -> store.redis.keys("*").stream()
                .allMatch(key -> store.redis.list("HKEYS", key).equals(List.of("f"))));
    }

    private long waits() {
        String stat = store.redis.info("cmdstat_wait");
        return Long.parseLong(stat.substring("calls=".length(), stat.indexOf(',')));
    }

    @Test
    void unacknowledgedMultiLockIsNotGrantedAndLeavesNothing() {
        LockManager locks = locks();
        var both = locks.all(LockOptions.DEFAULTS.withWaitFor(Duration.ZERO), "name", "other");
        both.acquire().close();
        replica.pause();
        assertThat(ClientRuleTest.failure(both::acquire)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("only 0 have acknowledged");
        assertThat(locks.held()).isEmpty();
        awaitFree();
    }

    /** Both use one path; otherwise a withdrawn claim would block the next one of the same caller. */
    @Test
    void newClaimsDoNotOvertakeEarlierWithdrawals() {
        FaultProxy proxy = opened.add(FaultProxy.to(redis.master().host(), redis.master().port()));
        var clients = new AtomicInteger();
        LockManager locks = locks(link(vertx -> client(vertx, clients.getAndIncrement() == 0
                ? "redis://" + proxy.host() + ":" + proxy.port() // for commands; the next one is for acknowledgements
                : redis.master().url())));
        var both = locks.all(LockOptions.DEFAULTS.withWaitFor(Duration.ZERO), "name", "other");
        both.acquire().close();
        proxy.delayRequests(Duration.ofMillis(700));
        replica.pause();
        assertThat(ClientRuleTest.failure(both::acquire)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("only 0 have acknowledged");
        replica.resume();
        proxy.pass();
        try (LockHandle hold = locks.lock("name").acquire()) {
            Await.during("nothing that comes late takes it", Duration.ofSeconds(1), hold::isValid);
            assertThat(locks.inspect("name").orElseThrow().holders()).hasSize(1);
        }
        awaitFree();
    }

    /** The connection is idle between locks, and a firewall drops it; the next lock would wait in vain. */
    @Fault(391)
    @Test
    void fault391_deadAckConnectionIsReplacedBeforeUse() {
        FaultProxy proxy = opened.add(FaultProxy.to(redis.master().host(), redis.master().port()));
        var clients = new AtomicInteger();
        Jvm jvm = opened.add(new Jvm(link(vertx -> client(vertx, clients.getAndIncrement() == 0
                ? redis.master().url() // for commands
                : "redis://" + proxy.host() + ":" + proxy.port())))).listening();
        jvm.release(jvm.grant("name"));
        var dead = proxy.connections().stream().filter(each -> each.sent().contains("wait")).toList();
        assertThat(dead).hasSize(1);
        int dialled = proxy.accepted();
        dead.get(0).mode(Mode.BLACKHOLE);
        Await.until("there is another one", SOON, () -> proxy.accepted() > dialled);
    }

    @Test
    void resentScriptNeedsAcknowledgementToo() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        store.redis.command("SCRIPT", "FLUSH");
        // Otherwise a WAIT before the script is sent again would fail too.
        Await.until("all of it is acknowledged", SOON, () -> String.valueOf(store.redis.info("slave0"))
                .contains("offset=" + store.redis.info("master_repl_offset") + ","));
        replica.pause();
        assertThat(ClientRuleTest.failure(() -> jvm.ask("name"))).isInstanceOf(LockBackendException.class);
    }

    @Fault(24)
    @Test
    void fault24_nothingIsGrantedOrLeftWithoutReplica() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        replica.pause();
        long start = System.nanoTime();
        RuntimeException failure = ClientRuleTest.failure(() -> jvm.ask("name"));
        assertThat(System.nanoTime() - start).isLessThan(15_000_000_000L);
        assertThat(failure).isInstanceOf(LockBackendException.class).hasMessageContaining("'name'")
                .hasMessageContaining("quarkus.lock.redis.replica-acks=1").hasMessageContaining("only 0 have acknowledged")
                .hasMessageContaining("600ms");
        awaitFree();
        assertThat(jvm.told.lost).isEmpty();
    }

    @Test
    void waiterIsGrantedOnceReplicaIsBack() {
        Jvm jvm = jvm();
        replica.pause();
        Jvm.Waiting waiting = jvm.claim("name");
        Await.until("the trouble is known", SOON, () -> waiting.claim.trouble() != null);
        assertThat(waiting.answer).isNotDone();
        assertThat(waiting.claim.trouble()).hasMessageContaining("quarkus.lock.redis.replica-acks=1");
        replica.resume();
        Grant grant = waiting.grant();
        assertThat(grant.provisional()).isFalse();
        assertThat(waiting.claim.trouble()).isNull();
        jvm.release(grant);
    }

    @Test
    void timedOutCallerLearnsOfMissingReplica() {
        LockManager locks = locks();
        replica.pause();
        RuntimeException failure = ClientRuleTest.failure(() -> locks
                .lock("name", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(4))).acquire());
        assertThat(failure).isInstanceOf(LockBackendException.class)
                .hasStackTraceContaining("quarkus.lock.redis.replica-acks=1");
        awaitFree();
    }

    @Test
    void pushedGrantIsAcknowledgedBeforeDelivery() {
        Jvm holder = jvm();
        Jvm other = jvm();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        Await.until("it is queued with a channel", SOON, () -> {
            String entry = store.field("w:" + waiting.claim.token());
            return entry != null && !entry.split("\\|", -1)[3].isEmpty();
        });
        replica.pause();
        holder.release(first);
        Await.until("it is granted at the master", SOON, () -> store.field("h:" + waiting.claim.token()) != null);
        Await.during("it does not count", Duration.ofSeconds(1), () -> !waiting.answer.isDone());
        replica.resume();
        Grant second = waiting.grant();
        assertThat(second.provisional()).isFalse();
        assertThat(second.fence()).isGreaterThan(first.fence());
        assertThat(second.grantedNanos()).isEqualTo(Jvm.LEASE.toNanos());
    }

    @Test
    void unacknowledgedRenewalExtendsNothing() {
        Jvm jvm = jvm();
        Grant kept = jvm.grant("kept");
        Grant gone = jvm.grant("gone");
        store.redis.command("DEL", jvm.backend.arguments().key("gone"));
        replica.pause();
        Renewal renewal = jvm.renew(kept, gone);
        assertThat(renewal.unknown().equals(List.of(kept))).isTrue();
        assertThat(renewal.lost().equals(List.of(gone))).isTrue();
        assertThat(renewal.renewed()).isEmpty();
        replica.resume();
        Await.until("it can be renewed again", SOON, () -> jvm.renew(kept).renewed().size() == 1);
    }

    @Test
    void holdWithoutReplicaIsLostAtItsDeadline() {
        LockManager locks = locks();
        Duration lease = Duration.ofSeconds(6);
        LockHandle hold = locks.lock("name", LockOptions.DEFAULTS.withLease(lease)).acquire();
        replica.pause();
        // The last renewal was at most a third of the lease ago; the rest minus the margin remains.
        Await.during("it is valid", Duration.ofSeconds(2), hold::isValid);
        Await.until("it is lost", SOON.multipliedBy(2), () -> !hold.isValid());
        assertThat(hold.validFor()).isZero();
        replica.resume();
        hold.close();
    }

    @Test
    void holdSurvivesWhenReplicaReturnsInTime() {
        LockManager locks = locks();
        Duration lease = Duration.ofSeconds(6);
        try (LockHandle hold = locks.lock("name", LockOptions.DEFAULTS.withLease(lease)).acquire()) {
            replica.pause();
            Await.during("it is valid", Duration.ofSeconds(2), hold::isValid);
            replica.resume();
            Await.during("it stays valid", lease.minusSeconds(1), hold::isValid);
        }
        awaitFree();
    }

    @Test
    void connectionLossIsNotAnAcknowledgement() {
        Jvm jvm = jvm();
        replica.pause();
        Jvm.Waiting waiting = jvm.claim("name");
        Await.until("it is granted at the master", SOON, () -> store.field("h:" + waiting.claim.token()) != null);
        store.redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        Await.during("it does not count", Duration.ofSeconds(2), () -> !waiting.answer.isDone());
        replica.resume();
        jvm.release(waiting.grant());
        awaitFree();
    }

    @Test
    void cancelDuringReplicaWaitLeavesNothing() {
        Jvm holder = jvm();
        Jvm other = jvm();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        Await.until("it is queued", SOON, () -> store.field("w:" + waiting.claim.token()) != null);
        replica.pause();
        Jvm.Waiting blocks = other.claim("another");
        Await.until("it waits for the replica", SOON, () -> {
            try (TinyRedis redis = ReplicaAcksTest.redis.master().connect()) {
                return redis.info("blocked_clients").equals("1");
            }
        });
        waiting.cancel();
        blocks.cancel();
        holder.release(first);
        replica.resume();
        awaitFree();
    }

    private void awaitFree() {
        Await.until(() -> "nobody holds or waits for any of " + store.redis.keys("*"), SOON,
                () -> store.redis.keys("*").stream().allMatch(key -> store.redis.list("HKEYS", key).stream()
                        .noneMatch(field -> field.startsWith("h:") || field.startsWith("w:"))));
    }
}
