package io.quarkiverse.lock.redis.quorum;

import static io.quarkiverse.lock.redis.quorum.QuorumCluster.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.quorum.QuorumCluster.Address;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.TestTime;
import io.quarkiverse.lock.testkit.proxy.Connection;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.smallrye.mutiny.subscription.Cancellable;

/** What a holder learns about others that want its lock. */
class QuorumNewsTest {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(10);
    /** The probes of message delivery are some seconds apart. */
    private static final Duration PROBED = Duration.ofSeconds(30);
    private static final String NAME = "name";
    private static final String KEY = "lock:q1:{test:" + NAME + "}";
    private static final String LINE = KEY + ":w";
    private static final String SOMEBODY = "ffffffffffffffffffffffffffffffff|lock:q1:jvm:none|somebody";

    @AutoClose
    private final Opened opened = new Opened();
    private QuorumCluster cluster;

    /** A backend and the events for its engine. */
    private static final class Told implements BackendListener, AutoCloseable {

        final List<String> news = new CopyOnWriteArrayList<>();
        final AtomicInteger rechecks = new AtomicInteger();
        final List<FaultProxy> links;
        final QuorumLockBackend backend;
        private final List<RedisServer> servers;

        Told(QuorumCluster cluster, String owner) {
            links = cluster.servers().stream().map(each -> FaultProxy.to(each.host(), each.port())).toList();
            backend = QuorumCluster.backend(links.stream().map(each -> new Address(each.host(), each.port())).toList(),
                    QuorumCluster.options(LONGEST), "test", owner);
            servers = cluster.servers();
            backend.start(this, new TestTime());
            Await.until("it listens", SOON, backend::tellsOfWaiters);
        }

        Grant grant(long number) {
            Grant grant = (Grant) backend.acquire(claim(number, false)).await().atMost(SOON);
            Await.until("all is said of it", SOON, () -> !news.isEmpty());
            // A late write would undo what a test writes there; the next renewal notifies a late server
            Await.until("all servers have it", SOON, () -> {
                boolean all = servers.stream().allMatch(Told::hasGranted);
                if (!all) {
                    backend.renew(List.of(grant)).await().atMost(SOON);
                }
                return all;
            });
            return grant;
        }

        private static boolean hasGranted(RedisServer server) {
            try (TinyRedis redis = server.connect()) {
                return redis.text("HGET", KEY, "g") != null;
            }
        }

        @Override
        public void suspect(Grant grant) {
            news.add("suspect");
        }

        @Override
        public void lost(Grant grant, String reason) {
            news.add("lost");
        }

        @Override
        public void waiters(Grant grant, boolean some) {
            news.add(some ? "others wait" : "nobody waits");
        }

        @Override
        public void releaseRequested(Grant grant) {
            news.add("asked");
        }

        @Override
        public void recheck() {
            rechecks.incrementAndGet();
        }

        @Override
        public void close() {
            backend.close();
            links.forEach(FaultProxy::close);
        }
    }

    @BeforeEach
    void start() {
        cluster = opened.add(new QuorumCluster(3)).satOut(LONGEST);
    }

    private Told jvm(String owner) {
        return opened.add(new Told(cluster, owner));
    }

    private static Claim claim(long number, boolean waits) {
        return new Claim(NAME, 7, number, LockMode.EXCLUSIVE, 0, Duration.ofSeconds(20).toNanos(), waits);
    }

    private void at(int server, String... command) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            redis.command(command);
        }
    }

    private static void renew(Told jvm, Grant grant) {
        assertThat(jvm.backend.renew(List.of(grant)).await().atMost(SOON).renewed()).hasSize(1);
    }

    /** Two servers know of it, and the holder reaches a different two. */
    @Test
    @Fault(263)
    void fault263_renewalReportsMissedReleaseRequest() {
        Told a = jvm("a");
        Grant grant = a.grant(1);
        a.news.clear();
        at(1, "HSET", KEY, "r", "1");
        at(2, "HSET", KEY, "r", "1");
        a.links.get(2).blackhole();

        renew(a, grant);

        assertThat(a.news).contains("asked");
    }

    @Test
    @Fault(263)
    void fault263_renewalReportsMissedWaiter() {
        Told a = jvm("a");
        Grant grant = a.grant(1);
        a.news.clear();
        at(1, "ZADD", LINE, "1", SOMEBODY);
        at(2, "ZADD", LINE, "1", SOMEBODY);
        a.links.get(2).blackhole();

        renew(a, grant);
        assertThat(a.news).containsOnly("others wait");

        a.news.clear();
        at(1, "ZREM", LINE, SOMEBODY);
        renew(a, grant);
        assertThat(a.news).containsOnly("nobody waits");
    }

    @Test
    @Fault(263)
    void fault263_existingWaiterIsReportedWithGrant() {
        Told a = jvm("a");
        for (int server = 0; server < 3; server++) {
            at(server, "ZADD", LINE, "1", SOMEBODY);
        }
        a.grant(1);
        Await.until("it is told", SOON, () -> a.news.contains("others wait"));
        assertThat(a.news).doesNotContain("nobody waits");
    }

    @Test
    @Fault(336)
    void fault336_serverAgreeingAfterGrantLearnsOfIt() {
        Told a = jvm("a");
        a.links.get(2).delayReplies(Duration.ofMillis(250));

        a.backend.acquire(claim(1, false)).await().atMost(SOON);

        Await.until("the last server has it", SOON, () -> Told.hasGranted(cluster.server(2)));
    }

    /** The message that the name is free arrives after the grant. */
    @Test
    @Fault(338)
    void fault338_lastServerToReleaseLearnsOfNextGrant() {
        Told a = jvm("a");
        Told b = jvm("b");
        Grant first = a.grant(1);
        var next = new CompletableFuture<Answer>();
        b.backend.acquire(claim(2, true)).subscribe().with(next::complete, next::completeExceptionally);
        Await.until("it waits everywhere", SOON, () -> cluster.servers().stream().allMatch(QuorumNewsTest::somebodyWaits));
        a.links.get(2).blackhole();
        a.backend.release(first).await().atMost(SOON);
        Grant second = (Grant) next.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
        String reminder = name(Script.QUORUM_REMIND);
        Await.until("the last server has been told in vain", SOON, () -> sent(b.links.get(2), reminder));

        a.links.get(2).pass();
        Await.until("the last server has it", SOON, () -> second.claim().token().equals(holder(2)));

        cluster.server(0).kill();
        renew(b, second);
    }

    /** The server refuses, and sends no message when the name is free. */
    @Test
    @Fault(338)
    void fault338_serverReservedForAnotherLearnsOfGrant() {
        Told a = jvm("a");
        // No longer than a turn: a later end would count as written before the clock was set back
        at(2, "EVAL", "local time = redis.call('TIME') redis.call('HSET', KEYS[1], 'n', ARGV[1], "
                + "'u', string.format('%.0f', math.floor((time[1] * 1000000 + time[2]) / 1000) + 50))", "1", KEY, SOMEBODY);

        Grant grant = (Grant) a.backend.acquire(claim(1, false)).await().atMost(SOON);

        Await.until("the last server has it", SOON, () -> grant.claim().token().equals(holder(2)));
        cluster.server(0).kill();
        renew(a, grant);
    }

    /** It reaches one server, and the holder restores its hold there each time. */
    @Test
    @Fault(393)
    void fault393_repeatedForcedReleaseOnMinorityDoesNotEndHold() {
        Told a = jvm("a");
        Told operator = jvm("operator");
        Grant grant = a.grant(1);
        operator.links.subList(1, 3).forEach(FaultProxy::down);
        for (int i = 0; i < 2; i++) {
            int before = a.rechecks.get();
            assertThatThrownBy(() -> operator.backend.forceRelease(NAME).await().atMost(SOON)).hasMessageContaining("only 1");
            Await.until("it is heard", SOON, () -> a.rechecks.get() > before || a.news.contains("lost"));
            Await.until("the server knows the holder again", SOON, () -> {
                renew(a, grant);
                return grant.claim().token().equals(holder(0));
            });
        }
        assertThat(a.news).doesNotContain("lost");

        try (TinyRedis redis = cluster.server(1).connect()) {
            eval(redis, Script.QUORUM_FORCE, List.of(KEY, LINE), "60000");
        }
        Await.until("two servers have taken it", SOON, () -> a.news.contains("lost"));
    }

    /** The forced release reaches one server before the claim knows that its fence is written everywhere. */
    @Test
    @Fault(394)
    void fault394_forcedReleaseBeforeGrantTriggersRecheck() {
        Told a = jvm("a");
        a.backend.release(a.grant(1)).await().atMost(SOON);
        a.links.forEach(link -> link.delayReplies(Duration.ofMillis(700)));
        var answer = new CompletableFuture<Answer>();
        a.backend.acquire(claim(2, false)).subscribe().with(answer::complete, answer::completeExceptionally);
        Await.until("the fence is written", SOON, () -> cluster.servers().stream().allMatch(Told::hasGranted));
        a.links.forEach(link -> link.delayReplies(Duration.ZERO));
        int before = a.rechecks.get();
        try (TinyRedis redis = cluster.server(0).connect()) {
            eval(redis, Script.QUORUM_FORCE, List.of(KEY, LINE), "60000");
        }

        assertThat(answer.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join()).isInstanceOf(Grant.class);

        Await.until("it is checked", SOON, () -> a.rechecks.get() > before);
    }

    /** That server was down when the lock was granted, and answers last. */
    @Test
    @Fault(461)
    void fault461_remindedServerKnowsWhenHoldBegan() {
        String claim = claim(1, false).token();
        for (int server = 0; server < 3; server++) {
            try (TinyRedis redis = cluster.server(server).connect()) {
                List<String> time = redis.list("TIME");
                long now = Long.parseLong(time.get(0)) * 1000;
                String fence = "" + (now - 60_000) * 1000;
                if (server < 2) {
                    redis.command("HSET", KEY, "t", claim, "a", "1", "e", "" + (now + 20_000), "s", "" + (now - 60_000), "c",
                            "c",
                            "o", "holder", "f", fence, "g", fence);
                } else {
                    assertThat(redis.number(command(Script.QUORUM_REMIND, List.of(QuorumCluster.MARKER, KEY, KEY + ":" + claim),
                            "60000", String.valueOf(LONGEST.toMillis()), "" + (now + 20_000), "c", "holder", claim, "1", fence,
                            "20000", "1"))).isOne();
                }
            }
        }
        Told a = jvm("a");
        a.links.get(2).delayReplies(Duration.ofMillis(300));

        LockInfo held = a.backend.inspect(NAME).await().atMost(SOON).orElseThrow();

        assertThat(held.holders().get(0).heldFor()).isBetween(Duration.ofSeconds(55), Duration.ofSeconds(90));
        Busy busy = (Busy) a.backend.acquire(claim(2, false)).await().atMost(SOON);
        assertThat(busy.heldBy()).contains("holder").contains("1m");
    }

    /** Something else has overwritten the records. */
    @Test
    @Fault(462)
    void fault462_queueQueryReportsUnreadableRecords() {
        Told a = jvm("a");
        a.grant(1);
        for (int server = 0; server < 3; server++) {
            at(server, "HSET", KEY, "g", "spoilt");
        }

        assertThatThrownBy(() -> a.backend.waitNotes().line(NAME).await().atMost(SOON))
                .isInstanceOf(LockBackendException.class).hasMessageContaining("cannot be read");
    }

    private String holder(int server) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            return redis.text("HGET", KEY, "t");
        }
    }

    private static boolean somebodyWaits(RedisServer server) {
        try (TinyRedis redis = server.connect()) {
            return redis.number("ZCARD", LINE) > 0;
        }
    }

    /** The hash by which clients call the script. */
    private String name(Script script) {
        try (TinyRedis redis = cluster.server(0).connect()) {
            return redis.text("SCRIPT", "LOAD", script.text());
        }
    }

    private static boolean sent(FaultProxy link, String text) {
        return link.connections().stream().anyMatch(each -> each.sent().contains(text));
    }

    /** Without a renewal. */
    @Test
    void holderLearnsOfFirstWaiterAtOnce() {
        Told a = jvm("a");
        Told b = jvm("b");
        Grant grant = a.grant(1);
        a.news.clear();
        var answer = new CompletableFuture<Answer>();
        Cancellable waits = b.backend.acquire(claim(2, true)).subscribe().with(answer::complete,
                answer::completeExceptionally);
        Await.until("it is told", SOON, () -> a.news.contains("others wait"));
        assertThat(answer).isNotDone();
        assertThat(b.news).isEmpty();
        waits.cancel();
        Await.until("it has gone", SOON, () -> {
            a.news.clear();
            renew(a, grant);
            return a.news.equals(List.of("nobody waits"));
        });
    }

    /** Their places do not expire while others wait. */
    @Test
    @Fault(399)
    void fault399_deadWaitersDisappearWhileLockIsHeld() {
        Told a = jvm("a");
        a.grant(1);
        for (int server = 0; server < 3; server++) {
            at(server, "ZADD", LINE, "1", SOMEBODY);
            at(server, "ZADD", LINE, "2", SOMEBODY.replace('f', 'e'));
            at(server, "ZADD", LINE, "999999999999999", SOMEBODY.replace('f', 'd'));
        }
        List<Cancellable> waiting = List.of(waits(jvm("b"), 2), waits(jvm("c"), 3));

        Await.until("only those that live are shown", SOON, () -> waiters(a) == 2);
        Await.during("these are", Duration.ofSeconds(2), () -> waiters(a) == 2);
        waiting.forEach(Cancellable::cancel);
    }

    private static Cancellable waits(Told jvm, long number) {
        return jvm.backend.acquire(claim(number, true)).subscribe().with(answer -> {
        });
    }

    private static int waiters(Told jvm) {
        return jvm.backend.inspect(NAME).await().atMost(SOON).orElseThrow().waiters();
    }

    @Test
    void quorumKnowsWhetherWaiterMessagesArrive() {
        Told a = jvm("a");
        assertThat(a.backend.tellsOfWaiters()).isTrue();
        a.links.get(1).down();
        Await.until("messages of one do not arrive", SOON, () -> !a.backend.tellsOfWaiters());
    }

    /** The server's machine has vanished, or a firewall has dropped the connection. */
    @Test
    @Fault(337)
    void fault337_deadSubscriptionAtOneServerIsReplaced() {
        Told a = jvm("a");
        FaultProxy link = a.links.get(1);
        Connection messages = link.connections().stream()
                .filter(each -> each.sent().toLowerCase(Locale.ROOT).contains("subscribe")).findFirst().orElseThrow();
        messages.mode(Mode.BLACKHOLE);
        link.refuse();
        Await.until("messages of one do not arrive", PROBED, () -> !a.backend.tellsOfWaiters());

        link.accept();
        Await.until("they arrive again", SOON, a.backend::tellsOfWaiters);
    }

    /** A claim that is not granted yet has nothing to release. */
    @Test
    void releaseRequestConcernsOnlyCompletedGrant() {
        try (TinyRedis redis = cluster.server(0).connect()) {
            String claim = claim(1, false).token();
            assertThat(eval(redis, Script.QUORUM_ASK, List.of(KEY, LINE, KEY + ":" + claim, QuorumCluster.MARKER), "60000",
                    String.valueOf(LONGEST.toMillis()), claim, "1", "20000", "1", "c", "0", "o").get(0)).isEqualTo("YES");
            assertThat(eval(redis, Script.QUORUM_REQUEST, List.of(KEY, LINE), "60000").get(3)).isEqualTo("");
            assertThat(redis.number(command(Script.QUORUM_WRITE, List.of(KEY, LINE), "60000", claim, "1", "5"))).isOne();
            assertThat(eval(redis, Script.QUORUM_RENEW, List.of(KEY), "60000", "c", claim, "20000", "1").get(0)).isEqualTo("1");

            assertThat(eval(redis, Script.QUORUM_REQUEST, List.of(KEY, LINE), "60000").get(3)).isEqualTo("5");
            assertThat(redis.number(command(Script.QUORUM_WRITE, List.of(KEY, LINE), "60000", claim, "1", "5"))).isOne();
            assertThat(eval(redis, Script.QUORUM_RENEW, List.of(KEY), "60000", "c", claim, "20000", "1").get(0)).isEqualTo("3");
        }
    }

    /** It comes over an abandoned connection, and a reminder notified the server of the grant. */
    @Test
    @Fault(396)
    void fault396_lateClaimRequestDoesNotUndoGrant() {
        try (TinyRedis redis = cluster.server(0).connect()) {
            String claim = claim(1, false).token();
            String[] ask = command(Script.QUORUM_ASK, List.of(KEY, LINE, KEY + ":" + claim, QuorumCluster.MARKER), "60000",
                    String.valueOf(LONGEST.toMillis()), claim, "1", "20000", "1", "c", "0", "o");
            assertThat(redis.list(ask).get(0)).isEqualTo("YES");
            assertThat(redis.number(command(Script.QUORUM_WRITE, List.of(KEY, LINE), "60000", claim, "1", "5"))).isOne();
            assertThat(eval(redis, Script.QUORUM_REQUEST, List.of(KEY, LINE), "60000").get(3)).isEqualTo("5");

            assertThat(redis.list(ask).get(0)).isEqualTo("YES");

            assertThat(redis.text("HGET", KEY, "g")).as("its fence").isEqualTo("5");
            assertThat(eval(redis, Script.QUORUM_RENEW, List.of(KEY), "60000", "c", claim, "20000", "1").get(0))
                    .as("the renewal reports the release request").isEqualTo("3");
        }
    }

    private static List<String> eval(TinyRedis redis, Script script, List<String> keys, String... args) {
        return redis.list(command(script, keys, args));
    }
}
