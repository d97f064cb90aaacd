package io.quarkiverse.lock.redis.quorum;

import static io.quarkiverse.lock.redis.quorum.QuorumCluster.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.topology.ServerChecks;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Faults of three servers, two of which must agree. */
class QuorumFaultsTest {

    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(10);
    /** For tests that must not depend on the end of a lease. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(30);
    private static final String NAME = "name";
    private static final String KEY = "lock:q1:{test:" + NAME + "}";

    @AutoClose
    private final Opened opened = new Opened();
    private QuorumCluster cluster;

    @BeforeEach
    void start() {
        cluster = opened.add(new QuorumCluster(3)).satOut(LONGEST);
    }

    private QuorumJvm jvm(String owner) {
        return opened.add(new QuorumJvm(cluster, LONGEST, LONGEST, owner));
    }

    private QuorumJvm patientJvm(String owner) {
        return opened.add(new QuorumJvm(cluster, LONG_LEASE, LONG_LEASE, owner));
    }

    private static LockHandle soon(QuorumJvm jvm) {
        return jvm.lock(NAME).tryAcquire(SOON).orElseThrow();
    }

    private static void pass(Duration time) {
        long from = System.nanoTime();
        Await.until("time passes", SOON, () -> System.nanoTime() - from > time.toNanos());
    }

    private String at(int server, String field) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            return redis.text("HGET", KEY, field);
        }
    }

    @Test
    @Fault(240)
    void fault240_lockSurvivesKillOfOneServer() {
        QuorumJvm a = jvm("a");
        QuorumJvm b = jvm("b");
        LockHandle first = soon(a);

        cluster.server(0).kill();

        pass(LONGEST.multipliedBy(3).dividedBy(2));
        assertThat(first.isValid()).isTrue();
        assertThat(b.lock(NAME).tryAcquire(Duration.ZERO)).isEmpty();
        CompletableFuture<LockHandle> next = CompletableFuture.supplyAsync(() -> soon(b));
        Await.until("it waits", SOON, () -> waiting(1));
        first.close();
        try (LockHandle second = next.join()) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    private boolean waiting(int server) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            return redis.number("ZCARD", KEY + ":w") > 0;
        }
    }

    @Test
    @Fault(241)
    void fault241_lossOfMajorityFailsClearlyAndRecovers() {
        QuorumJvm a = jvm("a");
        QuorumJvm b = jvm("b");
        LockHandle first = soon(a);

        cluster.server(0).kill();
        cluster.server(1).kill();

        long from = System.nanoTime();
        assertThatThrownBy(() -> b.lock("another").tryAcquire(Duration.ZERO)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("of the 3 servers of quarkus.lock.redis.quorum, only 1 can take part, and 2 have to")
                .hasMessageContaining("quarkus.redis.s0.hosts");
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(4));
        assertThatThrownBy(() -> b.lock("another").tryAcquire(Duration.ofMillis(500)))
                .isInstanceOf(LockBackendException.class).hasStackTraceContaining("quarkus.lock.redis.quorum");
        Await.until("it is lost", SOON, () -> !first.isValid());

        cluster.server(0).restart();
        cluster.server(1).restart();
        try (LockHandle second = soon(b)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    /** One of the two servers that know the lock restarts empty; the third never knew it. */
    @Test
    @Fault(242)
    void fault242_emptyRestartOfMinorityAllowsNoSecondHolder() {
        QuorumJvm a = jvm("a");
        QuorumJvm b = jvm("b");
        soon(b).close(); // connected
        a.links.get(2).down();
        LockHandle first = soon(a);

        cluster.server(1).restart();

        CompletableFuture<LockHandle> next = CompletableFuture.supplyAsync(() -> {
            LockHandle second = soon(b);
            assertThat(first.isValid()).as("first holder while there is a second").isFalse();
            return second;
        });
        try (LockHandle second = next.join()) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    @Test
    @Fault(242)
    void fault242_fencesIncreaseThoughNoReachableServerKnowsThem() {
        QuorumJvm a = jvm("a");
        a.links.get(2).down();
        LockHandle first = soon(a);
        first.close();
        cluster.server(1).restart();
        QuorumJvm b = jvm("b");
        b.links.get(0).down();

        try (LockHandle second = soon(b)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    @Test
    @Fault(243)
    void fault243_lockSurvivesUnreachableServer() {
        QuorumJvm a = jvm("a");
        QuorumJvm b = jvm("b");
        soon(a).close();
        a.links.get(0).blackhole();

        LockHandle first = soon(a);
        pass(LONGEST.multipliedBy(3).dividedBy(2));
        assertThat(first.isValid()).isTrue();
        assertThat(b.lock(NAME).tryAcquire(Duration.ZERO)).isEmpty();
        first.close();

        try (LockHandle second = soon(b)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    @Test
    @Fault(244)
    void fault244_lateRequestOfEndedClaimIsRejected() {
        cluster.satOut(LONG_LEASE);
        QuorumJvm a = patientJvm("a");
        QuorumJvm b = patientJvm("b");
        soon(a).close();
        a.links.forEach(link -> link.delayRequests(Duration.ofMillis(600)));

        assertThatThrownBy(() -> a.lock(NAME).tryAcquire(Duration.ofMillis(100)))
                .isInstanceOf(LockBackendException.class).hasMessageContaining("has not answered");

        a.links.forEach(link -> link.delayRequests(Duration.ZERO));
        try (LockHandle second = soon(b)) {
            assertThat(second.isValid()).isTrue();
        }
        Await.until("the last server has the release, too", SOON, () -> at(0, "t") == null);
        // After the end of the claim, but over another connection
        try (TinyRedis redis = cluster.server(0).connect()) {
            eval(redis, Script.QUORUM_FREE, List.of(KEY, KEY + ":w", KEY + ":t"), "60000", "t", "1", "60000", "c", "", "0");
            assertThat(redis.list(ask(redis, "t", "1")).get(0)).isEqualTo("GONE");
            assertThat(redis.list(ask(redis, "t", "3")).get(0)).isEqualTo("YES");
            assertThat(redis.list(ask(redis, "t", "2")).get(0)).as("earlier attempt").isEqualTo("GONE");
        }
    }

    private static String[] ask(TinyRedis redis, String claim, String attempt) {
        return command(Script.QUORUM_ASK, List.of(KEY, KEY + ":w", KEY + ":" + claim, QuorumCluster.MARKER), "60000",
                String.valueOf(LONG_LEASE.toMillis()), claim, attempt, "20000", "1", "c", "0", "somebody");
    }

    private static Object eval(TinyRedis redis, Script script, List<String> keys, String... args) {
        return redis.command(command(script, keys, args));
    }

    @Test
    @Fault(245)
    void fault245_releaseLostForOneServerIsRepeated() {
        cluster.satOut(LONG_LEASE);
        QuorumJvm a = patientJvm("a");
        QuorumJvm b = patientJvm("b");
        LockHandle first = knownEverywhere(a);
        a.links.get(0).blackhole();

        first.close();

        try (LockHandle second = soon(b)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            assertThat(at(0, "o")).as("owner at the server without the release").isEqualTo("a");
        }
        a.links.get(0).cut(); // drops what is in flight
        a.links.get(0).pass();
        Await.until("the server is told", SOON, () -> at(0, "t") == null);
    }

    /** Each of three clients reaches a different server first. */
    @Test
    @Fault(246)
    void fault246_splitVotesAreResolved() throws Exception {
        cluster.satOut(LONG_LEASE);
        List<QuorumJvm> all = List.of(patientJvm("a"), patientJvm("b"), patientJvm("c"));
        for (int i = 0; i < 3; i++) {
            soon(all.get(i)).close();
            for (int server = 0; server < 3; server++) {
                all.get(i).links.get(server).delayRequests(Duration.ofMillis(server == i ? 1 : 30));
            }
        }
        var barrier = new CyclicBarrier(3);
        for (int round = 0; round < 5; round++) {
            var ended = all.stream().map(each -> CompletableFuture.runAsync(() -> {
                try {
                    barrier.await(10, TimeUnit.SECONDS);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                soon(each).close();
            })).toList();
            CompletableFuture.allOf(ended.toArray(CompletableFuture[]::new)).get(15, TimeUnit.SECONDS);
        }
    }

    /** Its grant is slow, and then nothing gets through any more: the holder might trust the grant for too long. */
    @Test
    @Fault(247)
    void fault247_isolatedHolderLosesLockBeforeNextGrant() {
        QuorumJvm a = jvm("a");
        QuorumJvm b = jvm("b");
        soon(a).close();
        soon(b).close();
        a.links.forEach(link -> link.delayRequests(Duration.ofMillis(400)));
        LockHandle first = soon(a);
        a.links.forEach(link -> link.blackhole());

        Optional<LockHandle> second = b.lock(NAME).tryAcquire(SOON);
        assertThat(first.isValid()).as("first holder while there is a second").isFalse();
        second.orElseThrow().close();
    }

    /** The second majority can learn the fence only from the shared server. */
    @Test
    @Fault(248)
    void fault248_fencesIncreaseAcrossMajoritiesSharingOneServer() {
        soonAt(0, 1, "a");
        // A clock that is far ahead
        String ahead = String.valueOf(TimeUnit.SECONDS.toMicros(System.currentTimeMillis() / 1000 + 3600));
        try (TinyRedis redis = cluster.server(0).connect()) {
            redis.command("HSET", KEY, "f", ahead);
        }
        long first = soonAt(0, 1, "b");
        assertThat(first).isGreaterThan(Long.parseLong(ahead));
        assertThat(soonAt(1, 2, "c")).isGreaterThan(first);
    }

    private long soonAt(int one, int another, String owner) {
        try (var jvm = new QuorumJvm(cluster, LONGEST, LONGEST, owner)) {
            jvm.links.get(3 - one - another).down();
            try (LockHandle held = soon(jvm)) {
                return held.fencingToken();
            }
        }
    }

    @Test
    @Fault(249)
    void fault249_mismatchedLongestLeaseIsRejected() {
        QuorumJvm a = jvm("a");
        soon(a).close();
        QuorumJvm other = opened.add(new QuorumJvm(cluster, LONGEST.multipliedBy(2), LONGEST, "other"));

        Await.until("it says why, unless it is still connecting", SOON, () -> refusal(other)
                .matches(".*quarkus.lock.redis.longest-lease=2000ms.*4000ms.*"));
    }

    private static String refusal(QuorumJvm jvm) {
        try {
            jvm.lock(NAME).tryAcquire(Duration.ZERO);
            return "";
        } catch (LockBackendException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** The message of the forced release overtakes the reply to an earlier request. */
    @Test
    @Fault(257)
    void fault257_attemptEndedByForcedReleaseIsNotGranted() {
        cluster.satOut(LONG_LEASE);
        QuorumOptions standard = QuorumCluster.options(LONG_LEASE);
        var patient = new QuorumOptions(standard.keyPrefix(), Duration.ofSeconds(8), standard.retention(), LONG_LEASE);
        QuorumJvm a = opened.add(new QuorumJvm(cluster, patient, LONG_LEASE, "a"));
        Await.until("it reaches all servers", SOON, () -> {
            try (LockHandle held = soon(a)) {
                return held.isValid() && IntStream.range(0, 3).allMatch(server -> at(server, "g") != null);
            }
        });
        List<TinyRedis> servers = cluster.servers().stream().map(server -> opened.add(server.connect())).toList();
        a.links.forEach(link -> link.delayReplies(Duration.ofSeconds(3)));
        CompletableFuture<LockHandle> asks = CompletableFuture.supplyAsync(() -> soon(a));
        Await.until("the fence is written", SOON,
                () -> servers.stream().allMatch(redis -> redis.text("HGET", KEY, "g") != null));

        a.links.forEach(link -> link.delayReplies(Duration.ZERO));
        servers.forEach(redis -> assertThat(eval(redis, Script.QUORUM_FORCE, List.of(KEY, KEY + ":w"), "60000"))
                .asInstanceOf(LIST).last().asString().as("the fence").isNotEmpty());

        try (LockHandle held = asks.join()) {
            assertThat(held.isValid()).isTrue();
            assertThat(IntStream.range(0, 3).filter(server -> at(server, "g") != null)).as("servers that have its fence")
                    .hasSizeGreaterThan(1);
        }
    }

    /** For one name, one server reports a loss, another does not, and the third hangs. */
    @Test
    @Fault(258)
    void fault258_confirmedRenewalDoesNotWaitForDoubtfulOne() {
        QuorumJvm a = jvm("a");
        knownEverywhere(a).close();
        Await.until("it is released everywhere", SOON,
                () -> IntStream.range(0, 3).allMatch(server -> at(server, "t") == null));
        Grant doubtful = grant(a, NAME, 1);
        Await.until("it is granted everywhere", SOON,
                () -> IntStream.range(0, 3).allMatch(server -> at(server, "t") != null));
        Grant other = grant(a, "other", 2);

        try (TinyRedis redis = cluster.server(0).connect()) {
            redis.command("DEL", KEY);
        }
        a.links.get(2).blackhole();

        long from = System.nanoTime();
        Renewal renewal = a.backend.renew(List.of(doubtful, other)).await().atMost(SOON);
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(a.backend.operationTimeout().dividedBy(2));
        assertThat(renewal).isEqualTo(new Renewal(List.of(other), List.of(), List.of(doubtful)));
    }

    private static Grant grant(QuorumJvm jvm, String name, long token) {
        return (Grant) jvm.backend.acquire(new Claim(name, token, token, LockMode.EXCLUSIVE, 0, LONGEST.toNanos(), true))
                .await().atMost(SOON);
    }

    /** A renewal notifies a server that was not connected yet. */
    private LockHandle knownEverywhere(QuorumJvm jvm) {
        LockHandle held = soon(jvm);
        for (int i = 0; i < 3; i++) {
            int server = i;
            Await.until("all servers know it", SOON, () -> at(server, "t") != null);
        }
        return held;
    }

    @Test
    @Fault(259)
    void fault259_lockSurvivesRollingDataLoss() {
        QuorumJvm a = jvm("a");
        QuorumJvm b = jvm("b");
        LockHandle first = knownEverywhere(a);

        for (int i = 0; i < 3; i++) {
            int server = i;
            cluster.server(server).restart();
            Await.until("the server knows of it again", SOON, () -> at(server, "g") != null);
            assertThat(Grant.firstToken(Long.parseLong(at(server, "f")))).isEqualTo(first.fencingToken());
        }

        assertThat(first.isValid()).isTrue();
        assertThat(b.lock(NAME).tryAcquire(Duration.ZERO)).isEmpty();
        first.close();
        try (LockHandle second = soon(b)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    @Test
    @Fault(260)
    void fault260_lateReminderOfEndedGrantIsRejected() {
        try (TinyRedis redis = cluster.server(0).connect()) {
            long now = Long.parseLong(redis.list("TIME").get(0)) * 1000;
            assertThat(remind(redis, "t", "1", now - 1)).as("too late").isZero();

            eval(redis, Script.QUORUM_FREE, List.of(KEY, KEY + ":w", KEY + ":t"), "60000", "t", "1", "60000", "c", "", "0");
            assertThat(remind(redis, "t", "1", now + 60_000)).as("released").isZero();

            assertThat(remind(redis, "u", "1", now + 60_000)).as("neither too late nor released").isEqualTo(1);
            assertThat(remind(redis, "v", "1", now + 60_000)).as("over another grant").isZero();
            eval(redis, Script.QUORUM_FREE, List.of(KEY, KEY + ":w", KEY + ":u"), "60000", "u", "1", "0", "c", "", "0");
            redis.command("HSET", KEY, "f", "8");
            assertThat(remind(redis, "v", "1", now + 60_000)).as("after a later grant").isZero();

            redis.command("HSET", KEY, "f", "7");
            redis.command("ZADD", KEY + ":w", "1", "y|c|somebody");
            assertThat(remind(redis, "y", "1", now + 60_000)).as("with a place in the queue").isEqualTo(1);
            assertThat(redis.number("ZCARD", KEY + ":w")).as("waiters left").isZero();

            redis.command("DEL", KEY, QuorumCluster.MARKER);
            assertThat(remind(redis, "w", "1", now + 60_000)).as("while the server sits out").isZero();
        }
    }

    private static long remind(TinyRedis redis, String claim, String attempt, long latest) {
        return (long) eval(redis, Script.QUORUM_REMIND, List.of(QuorumCluster.MARKER, KEY, KEY + ":" + claim), "60000",
                String.valueOf(LONGEST.toMillis()), String.valueOf(latest), "c", "somebody", claim, attempt, "7", "2000", "1");
    }

    /** The waiter is notified when the name is free, and polls now and then in case that message is lost. */
    @Test
    void waiterForHeldLockPollsRarely() {
        cluster.satOut(LONG_LEASE);
        QuorumJvm a = patientJvm("a");
        QuorumJvm b = patientJvm("b");
        soon(b).close();
        LockHandle held = soon(a);
        CompletableFuture<LockHandle> waits = CompletableFuture.supplyAsync(() -> soon(b));
        Await.until("it waits", SOON, () -> waiting(0));

        long before = scripts(0);
        pass(Duration.ofSeconds(4));
        assertThat(scripts(0) - before).as("scripts in four seconds").isBetween(1L, 10L);

        held.close();
        waits.join().close();
        var took = new ArrayList<Duration>();
        do {
            took.add(handOver(a, b));
        } while (took.size() < 5 && took.get(took.size() - 1).toMillis() >= 400); // the machine may be busy
        assertThat(took).anyMatch(each -> each.toMillis() < 400);
    }

    /** The hand-off time if the waiter has just polled and would not poll again for half a second. */
    private Duration handOver(QuorumJvm holder, QuorumJvm waiter) {
        LockHandle held = soon(holder);
        CompletableFuture<LockHandle> waits = CompletableFuture.supplyAsync(() -> soon(waiter));
        Await.until("it waits", SOON, () -> waiting(0));
        long before = scripts(0);
        Await.until("it asks again", SOON, () -> scripts(0) > before);
        long from = System.nanoTime();
        held.close();
        try (LockHandle next = waits.join()) {
            return Duration.ofNanos(System.nanoTime() - from);
        }
    }

    @Test
    void backendIsNotReadyWhileMajoritySitsOut() {
        cluster.satOut(LONG_LEASE);
        QuorumJvm a = patientJvm("a");
        soon(a).close();
        cluster.server(0).restart();
        Await.until("one is not missed", SOON, () -> ready(a));

        cluster.server(1).restart();

        Await.until("it says why", SOON, () -> {
            try {
                a.backend.ready(NAME).await().atMost(SOON);
                return false;
            } catch (LockBackendException e) {
                return e.getMessage().contains("takes no part for another");
            }
        });
        cluster.satOut(LONG_LEASE);
        Await.until("they have sat out", SOON, () -> ready(a));
    }

    private static boolean ready(QuorumJvm jvm) {
        try {
            jvm.backend.ready(NAME).await().atMost(SOON);
            return true;
        } catch (LockBackendException e) {
            return false;
        }
    }

    /** The server would not notice, and would not sit out: its marker has no expiry, but locks do. */
    @Test
    void evictingQuorumServerIsWarnedAbout() {
        try (TinyRedis redis = cluster.server(1).connect();
                var log = LogLines.warnings(ServerChecks.class.getPackageName())) {
            redis.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
            jvm("a");
            Await.until("it is warned about", SOON, () -> !log.messages().isEmpty());
            assertThat(log.messages()).singleElement().asString().contains("quarkus.redis.s1.hosts")
                    .contains("maxmemory-policy volatile-lru").contains("noeviction");
        }
    }

    /** Also on servers where the lock was never renewed. */
    @Test
    void allQuorumKeysExpire() {
        LockHandle held = soon(jvm("a"));
        assertEnds(0);
        held.close();
        for (int i = 0; i < 3; i++) {
            assertEnds(i);
        }
    }

    private void assertEnds(int server) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            assertThat(redis.keys("*" + NAME + "*")).allSatisfy(key -> assertThat(redis.number("PTTL", key))
                    .as("time to live of %s", key).isBetween(0L, LONGEST.toMillis() + 60_001));
        }
    }

    /** What it gives back is free again, with itself first in line; this must not make it poll at once. */
    @Test
    void waiterWithoutMajorityPollsWithPauses() {
        QuorumJvm a = jvm("a");
        soon(a).close();
        cluster.server(0).kill();
        cluster.server(1).kill();
        CompletableFuture<Void> waits = CompletableFuture
                .runAsync(() -> assertThatThrownBy(() -> a.lock(NAME).tryAcquire(SOON.dividedBy(2))));
        Await.until("it waits", SOON, () -> waiting(2));

        pass(Duration.ofSeconds(1)); // by now it knows that the others are down
        long before = scripts(2);
        pass(Duration.ofSeconds(2));
        assertThat(scripts(2) - before).as("scripts in two seconds").isLessThan(150);
        waits.join();
    }

    private long scripts(int server) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            return Long.parseLong(redis.info("cmdstat_evalsha").replaceAll("calls=(\\d+).*", "$1"));
        }
    }

    @Test
    void grantSucceedsWithOneServerDownAndOthersSlow() {
        cluster.satOut(LONG_LEASE);
        QuorumJvm a = patientJvm("a");
        soon(a).close();
        a.links.get(0).down();
        pass(Duration.ofSeconds(1)); // by now it knows that the server is down
        a.links.forEach(link -> link.delayReplies(a.backend.operationTimeout().dividedBy(6)));

        assertThat(a.lock(NAME).tryAcquire(SOON)).isPresent().hasValueSatisfying(LockHandle::close);
    }

    /** Without the slow server there is no majority. */
    @Test
    void renewalWaitsForSlowServerWhileAnotherIsDown() {
        cluster.satOut(LONG_LEASE);
        QuorumJvm a = patientJvm("a");
        Grant held = grant(a, NAME, 1);
        Await.until("those two know it", SOON, () -> {
            a.backend.renew(List.of(held)).await().atMost(SOON);
            return at(1, "t") != null && at(2, "t") != null;
        });
        a.links.get(0).down();
        pass(Duration.ofSeconds(1)); // by now it knows that the server is down
        a.links.get(2).delayReplies(a.backend.operationTimeout().dividedBy(4));

        Renewal renewal = a.backend.renew(List.of(held)).await().atMost(SOON);

        assertThat(renewal).isEqualTo(new Renewal(List.of(held), List.of(), List.of()));
    }

    @Test
    void slowServersCauseFailureNotBusyAnswer() {
        QuorumJvm a = jvm("a");
        soon(a).close();
        a.links.forEach(link -> link.delayReplies(LONGEST.dividedBy(3)));

        assertThatThrownBy(() -> a.lock(NAME).tryAcquire(SOON.dividedBy(2))).isInstanceOf(LockBackendException.class);
    }

    @Test
    void serverHangingBetweenPhasesIsReplacedByAnother() {
        cluster.satOut(LONG_LEASE);
        QuorumJvm a = patientJvm("a");
        soon(a).close();
        Await.until("the last server has the release, too", SOON,
                () -> IntStream.range(0, 3).allMatch(server -> at(server, "t") == null));
        a.links.get(0).delayReplies(Duration.ofMillis(300));
        a.links.get(2).delayReplies(Duration.ofMillis(400));

        CompletableFuture<LockHandle> asks = CompletableFuture.supplyAsync(() -> soon(a));
        Await.until("it has said yes", SOON, () -> at(1, "t") != null);
        a.links.get(1).blackhole();

        try (LockHandle held = asks.join()) {
            assertThat(held.isValid()).isTrue();
            assertThat(at(0, "a")).as("attempts").isEqualTo("1");
        }
    }

    @Test
    void quorumRejectsLeaseAboveLongestLease() {
        QuorumJvm a = opened.add(new QuorumJvm(cluster, LONGEST, LONGEST.plusSeconds(1), "a"));

        assertThatThrownBy(() -> a.lock(NAME).tryAcquire(Duration.ZERO)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("quarkus.lock.redis.longest-lease=2s");
        QuorumJvm b = jvm("b");
        try (LockHandle held = soon(b)) {
            assertThatThrownBy(() -> held.extend(LONGEST.multipliedBy(2))).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("quarkus.lock.redis.longest-lease=2s");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void newServersSitOutAndReportIt() {
        cluster.satOut(LONG_LEASE);
        cluster.server(0).restart();
        cluster.server(1).restart();

        QuorumJvm a = patientJvm("a");
        assertThatThrownBy(() -> a.lock(NAME).tryAcquire(Duration.ZERO)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("takes no part for another").hasMessageContaining("quarkus.lock.redis.longest-lease");
    }
}
