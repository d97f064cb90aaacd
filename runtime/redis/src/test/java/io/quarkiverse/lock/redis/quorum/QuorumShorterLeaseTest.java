package io.quarkiverse.lock.redis.quorum;

import static io.quarkiverse.lock.redis.quorum.QuorumCluster.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.quorum.QuorumCluster.Address;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.NoNews;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.TestTime;
import io.quarkiverse.lock.testkit.proxy.Connection;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Leases that are shortened, as for idle grants, and raised again; and names that stay taken after a release. */
class QuorumShorterLeaseTest {

    private static final Duration WHOLE = Duration.ofSeconds(120);
    private static final Duration SHORTER = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String NAME = "name";
    private static final String KEY = "lock:q1:{test:" + NAME + "}";
    private static final String LINE = KEY + ":w";

    private final TestTime time = new TestTime();
    @AutoClose
    private final Opened opened = new Opened();
    private QuorumCluster cluster;
    private List<FaultProxy> links;
    private QuorumLockBackend backend;

    @BeforeEach
    void start() {
        cluster = opened.add(new QuorumCluster(3)).satOut(WHOLE);
        links = cluster.servers().stream().map(each -> opened.add(FaultProxy.to(each.host(), each.port()))).toList();
        var standard = QuorumCluster.options(WHOLE);
        var options = new QuorumOptions(standard.keyPrefix(), Duration.ofMillis(500), standard.retention(), WHOLE);
        backend = opened.add(QuorumCluster.backend(links.stream().map(each -> new Address(each.host(), each.port())).toList(),
                options, "test", "a"));
        backend.start(new NoNews(), time);
        Await.until("it listens", SOON, backend::tellsOfWaiters);
    }

    /** This server may be needed for the majority that has the whole lease. */
    @Test
    @Fault(356)
    void fault356_lateShorteningDoesNotOverrideLaterRenewal() {
        Grant grant = grantEverywhere();

        Connection hanging = commands(links.get(2)).get(0);
        hanging.mode(Mode.BLACKHOLE);
        grant.leaseNanos(SHORTER.toNanos());
        assertThat(backend.shorten(grant).await().atMost(SOON).renewed()).as("a majority has shortened the lease").hasSize(1);
        Await.until("the connection is given up", SOON, () -> commands(links.get(2)).size() == 2);
        links.get(1).down();
        grant.leaseNanos(WHOLE.toNanos());
        Await.until("the others have the whole lease", SOON, () -> renew(grant).renewed().size() == 1);
        assertThat(left(2)).isGreaterThan(SHORTER);

        long before = scripts(2);
        hanging.mode(Mode.PASS);
        Await.until("it arrives after all", SOON, () -> scripts(2) > before);

        assertThat(left(1)).as("server that still has the shorter lease").isLessThanOrEqualTo(SHORTER);
        assertThat(left(2)).as("server whose lease was raised").isGreaterThan(SHORTER);
    }

    @Test
    @Fault(356)
    void fault356_latestLeaseRequestWins() {
        try (TinyRedis redis = cluster.server(0).connect()) {
            grant(redis, "a");
            assertThat(afterRenewal(redis, "a", -30_000, 1)).isLessThanOrEqualTo(SHORTER);
            assertThat(afterRenewal(redis, "a", 120_000, 3)).isGreaterThan(SHORTER);
            assertThat(afterRenewal(redis, "a", -30_000, 2)).as("a late shortening").isGreaterThan(SHORTER);
            assertThat(afterRenewal(redis, "a", 30_000, 2)).as("a late renewal").isGreaterThan(SHORTER);
            grant(redis, "a");
            assertThat(afterRenewal(redis, "a", -30_000, 2)).as("after a late request for the lock").isGreaterThan(SHORTER);
            assertThat(afterRenewal(redis, "a", -30_000, 3)).as("the latest number again").isLessThanOrEqualTo(SHORTER);
            redis.command("HSET", KEY, "e", "1");
            grant(redis, "b");
            assertThat(afterRenewal(redis, "b", -30_000, 1)).as("the next holder's lease").isLessThanOrEqualTo(SHORTER);
        }
    }

    /** The unreachable server ended the hold, while a majority renewed it. */
    @Test
    @Fault(395)
    void fault395_remindedServerKnowsLatestLeaseRequest() {
        try (TinyRedis redis = cluster.server(0).connect()) {
            redis.command("HSET", KEY, "t", "a", "a", "1", "e", "1", "g", "7", "f", "7", "l", "2");
            long now = Long.parseLong(redis.list("TIME").get(0)) * 1000;
            assertThat(redis.number(command(Script.QUORUM_REMIND, List.of(QuorumCluster.MARKER, KEY, KEY + ":a"), "60000",
                    String.valueOf(WHOLE.toMillis()), String.valueOf(now + 60_000), "c", "o", "a", "1", "7", "120000", "4")))
                    .isOne();
            assertThat(afterRenewal(redis, "a", -30_000, 3)).as("a late request").isGreaterThan(SHORTER);
            assertThat(afterRenewal(redis, "a", -30_000, 4)).as("the latest request").isLessThanOrEqualTo(SHORTER);
        }
    }

    /** The majority already knows how long the name stays taken. */
    @Test
    @Fault(524)
    void fault524_lateServerKeepsNameNoLongerThanTheOthers() {
        Grant grant = grantEverywhere();
        links.get(2).down();
        backend.releaseAfter(grant, WHOLE.toNanos()).await().atMost(SOON);

        time.aheadNanos += WHOLE.minus(SHORTER).toNanos();
        links.get(2).accept();
        Await.until("it hears of it", SOON, () -> String.valueOf(at(2, "t")).startsWith("kept:"));

        assertThat(left(1)).as("server that got the release at once").isGreaterThan(SHORTER);
        assertThat(left(2)).isLessThan(SHORTER.plus(SOON));
    }

    @Test
    @Fault(524)
    void fault524_overdueDelayedReleaseFreesName() {
        Grant grant = grantEverywhere();
        links.get(2).down();
        backend.releaseAfter(grant, WHOLE.toNanos()).await().atMost(SOON);

        time.aheadNanos += WHOLE.toNanos();
        links.get(2).accept();

        Await.until("it is free there", SOON, () -> at(2, "t") == null);
    }

    @Test
    @Fault(524)
    void fault524_repeatedReleaseFreesKeptName() {
        try (TinyRedis redis = cluster.server(0).connect()) {
            grant(redis, "a");
            assertThat(afterRelease(redis, 1, 120_000)).isGreaterThan(SHORTER);
            assertThat(afterRelease(redis, 0, 0)).as("a late release of an earlier attempt").isGreaterThan(SHORTER);
            assertThat(afterRelease(redis, 1, 30_000)).as("the remaining time").isLessThanOrEqualTo(SHORTER);
            assertThat(afterRelease(redis, 1, 120_000)).as("a late earlier release").isLessThanOrEqualTo(SHORTER);
            assertThat(at(0, "t")).isEqualTo("kept:a");

            redis.command("ZADD", LINE, "1", "b|nobody|o");
            release(redis, 1, 0);
            assertThat(at(0, "t")).isNull();
            assertThat(redis.number("ZCARD", LINE)).as("the first waiter was notified, but has died").isZero();
        }
    }

    private Duration afterRelease(TinyRedis redis, int attempt, long keepMillis) {
        release(redis, attempt, keepMillis);
        return left(0);
    }

    private static void release(TinyRedis redis, int attempt, long keepMillis) {
        redis.command(command(Script.QUORUM_FREE, List.of(KEY, LINE, KEY + ":a"), "60000", "a", "" + attempt, "0", "c|o", "",
                "" + keepMillis));
    }

    private Grant grantEverywhere() {
        Grant grant = (Grant) backend.acquire(claim(1)).await().atMost(SOON);
        Await.until("all servers have it", SOON,
                () -> renew(grant).renewed().size() == 1 && IntStream.range(0, 3).allMatch(i -> at(i, "g") != null));
        return grant;
    }

    private static void grant(TinyRedis redis, String claim) {
        assertThat(redis.list(command(Script.QUORUM_ASK, List.of(KEY, LINE, KEY + ":" + claim, QuorumCluster.MARKER), "60000",
                String.valueOf(WHOLE.toMillis()), claim, "1", "120000", "1", "c", "0", "o")).get(0)).isEqualTo("YES");
    }

    private Duration afterRenewal(TinyRedis redis, String claim, long lease, int number) {
        assertThat(redis.list(command(Script.QUORUM_RENEW, List.of(KEY), "60000", "c", claim, "" + lease, "" + number)).get(0))
                .isEqualTo("1");
        return left(0);
    }

    private static Claim claim(long number) {
        return new Claim(NAME, 7, number, LockMode.EXCLUSIVE, 0, WHOLE.toNanos(), false);
    }

    private Renewal renew(Grant grant) {
        return backend.renew(List.of(grant)).await().atMost(SOON);
    }

    /** The connections that scripts were sent over. */
    private static List<Connection> commands(FaultProxy link) {
        return link.connections().stream().filter(each -> each.sent().toLowerCase(Locale.ROOT).contains("evalsha")).toList();
    }

    private @Nullable String at(int server, String field) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            return redis.text("HGET", KEY, field);
        }
    }

    private long scripts(int server) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            return Long.parseLong(redis.info("cmdstat_evalsha").replaceAll("calls=(\\d+).*", "$1"));
        }
    }

    private Duration left(int server) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            List<String> time = redis.list("TIME");
            return Duration.ofMillis(Long.parseLong(redis.text("HGET", KEY, "e")) - Long.parseLong(time.get(0)) * 1000
                    - Long.parseLong(time.get(1)) / 1000);
        }
    }
}
