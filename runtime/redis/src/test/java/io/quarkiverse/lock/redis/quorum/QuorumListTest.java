package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Locks on three servers are listed and inspected if two of them agree. */
class QuorumListTest {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final LockQuery SMALL = LockQuery.ALL.withPageSize(50);
    private static final LockQuery LARGE = LockQuery.ALL.withPageSize(LockQuery.MAX_PAGE_SIZE);
    /** In Redis's own unit, microseconds. */
    private static final long LONGEST_COMMAND = 5_000;
    private static final String ONE = "0123456789abcdef0123456789abcdef";
    private static final String ANOTHER = "fedcba9876543210fedcba9876543210";

    @AutoClose
    private final Opened opened = new Opened();
    private QuorumCluster cluster;

    @BeforeEach
    void start() {
        cluster = opened.add(new QuorumCluster(3)).satOut(LONGEST);
    }

    private QuorumJvm jvm() {
        return opened.add(new QuorumJvm(cluster, LONGEST, LONGEST, "lists"));
    }

    /** As the scripts write it, a thousand names per call; held for a minute, so since before any listing began. */
    private void hold(int server, String claim, String prefix, int count) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            for (int from = 0; from < count; from += 1000) {
                redis.command("EVAL",
                        """
                                local now = redis.call('TIME')[1] * 1000
                                for i = ARGV[1], math.min(ARGV[2], ARGV[1] + 999) do
                                  redis.call('HSET', 'lock:q1:{test:' .. ARGV[4] .. string.format('%d', i) .. '}', 't', ARGV[3], 'a', '1',
                                    'e', string.format('%.0f', now + 3600000), 's', string.format('%.0f', now - 60000), 'g', '7', 'f', '7',
                                    'o', 'somebody', 'p', '1', 'c', 'nobody')
                                end
                                """,
                        "0", "" + from, "" + (count - 1), claim, prefix);
            }
        }
    }

    private void holdEverywhere(String prefix, int count) {
        for (int server = 0; server < 3; server++) {
            hold(server, ONE, prefix, count);
        }
    }

    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    /** A page may time out on a busy machine; it can be requested again. */
    private static LockQuery.Page page(QuorumJvm jvm, LockQuery query) {
        long start = System.nanoTime();
        while (true) {
            try {
                return Objects.requireNonNull(jvm.backend.list(query).await().atMost(SOON));
            } catch (LockBackendException e) {
                if (System.nanoTime() - start > SOON.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /** A page that ends within the first server, which may be slower than the others on a busy machine. */
    private static LockQuery.Page firstPage(QuorumJvm jvm) {
        while (true) {
            LockQuery.Page page = page(jvm, SMALL);
            if (position(page.next().orElseThrow()).server() == 0) {
                return page;
            }
        }
    }

    private static List<String> listed(QuorumJvm jvm, LockQuery from) {
        List<String> names = new ArrayList<>();
        Optional<LockQuery> query = Optional.of(from);
        while (query.isPresent()) {
            LockQuery.Page page = page(jvm, query.get());
            page.locks().forEach(lock -> names.add(lock.name()));
            query = page.next();
        }
        return names;
    }

    private static ListPosition position(LockQuery query) {
        return Objects.requireNonNull(ListPosition.of(query.continuation(), 3));
    }

    @Test
    void eachNameIsListedOnceAcrossServers() {
        holdEverywhere("n-", 700);
        assertThat(listed(jvm(), SMALL)).containsExactlyInAnyOrderElementsOf(names("n-", 700));
    }

    @Test
    @Fault(261)
    void fault261_listSucceedsWithOneServerDownOrHanging() {
        holdEverywhere("n-", 120);
        QuorumJvm jvm = jvm();
        assertThat(listed(jvm, LARGE)).hasSize(120);
        for (int server = 0; server < 3; server++) {
            jvm.links.get(server).blackhole();
            long before = System.nanoTime();
            assertThat(new TreeSet<>(listed(jvm, LARGE))).as("while server %d hangs", server)
                    .containsExactlyInAnyOrderElementsOf(names("n-", 120));
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(jvm.backend.operationTimeout().multipliedBy(2));
            jvm.links.get(server).down();
            assertThat(new TreeSet<>(listed(jvm, LARGE))).as("while server %d is away", server)
                    .containsExactlyInAnyOrderElementsOf(names("n-", 120));
            jvm.links.get(server).accept();
            jvm.links.get(server).pass();
            Await.until("it is back", SOON, () -> answersAll(jvm));
        }
        jvm.links.get(0).down();
        jvm.links.get(2).down();
        assertThatThrownBy(() -> jvm.backend.list(LARGE).await().atMost(SOON)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("of the 3 servers of quarkus.lock.redis.quorum, only 1 can take part")
                .hasMessageContaining("quarkus.redis.s0.hosts");
    }

    /** A connected server has granted the lock. */
    private boolean answersAll(QuorumJvm jvm) {
        try (LockHandle hold = jvm.lock("probe").tryAcquire(SOON).orElseThrow()) {
            return hold.isValid() && IntStream.range(0, 3).allMatch(server -> {
                try (TinyRedis redis = cluster.server(server).connect()) {
                    return redis.text("HGET", "lock:q1:{test:probe}", "t") != null;
                }
            });
        }
    }

    /** The server whose keys are being scanned goes down. */
    @Test
    @Fault(261)
    void fault261_listSurvivesServerOutage() {
        holdEverywhere("n-", 500);
        QuorumJvm jvm = jvm();
        LockQuery.Page page = firstPage(jvm);
        TreeSet<String> names = new TreeSet<>(page.locks().stream().map(LockInfo::name).toList());
        cluster.server(0).kill();
        names.addAll(listed(jvm, page.next().get()));
        assertThat(names).containsExactlyInAnyOrderElementsOf(names("n-", 500));
    }

    /** A cursor means something only to the process that issued it. */
    @Test
    @Fault(261)
    void fault261_listSurvivesServerRestart() {
        holdEverywhere("n-", 500);
        LockQuery.Page page = firstPage(jvm());
        TreeSet<String> names = new TreeSet<>(page.locks().stream().map(LockInfo::name).toList());
        cluster.server(0).restart();
        hold(0, ONE, "n-", 500);
        names.addAll(listed(jvm(), page.next().get()));
        assertThat(names).containsExactlyInAnyOrderElementsOf(names("n-", 500));
    }

    @Test
    @Fault(262)
    void fault262_locksOfBareMajorityAreListed() {
        for (int server = 0; server < 3; server++) {
            for (int away = 0; away < 3; away++) {
                hold(server, server == away ? ANOTHER : ONE, "without-" + away + "-", 40);
            }
            if (server != 0) {
                hold(server, ONE, "nothing-at-0-", 40);
            }
        }
        var all = new TreeSet<>(names("nothing-at-0-", 40));
        for (int away = 0; away < 3; away++) {
            all.addAll(names("without-" + away + "-", 40));
        }
        for (LockQuery query : List.of(SMALL, LARGE)) {
            assertThat(new TreeSet<>(listed(jvm(), query))).isEqualTo(all);
        }
        assertThat(page(jvm(), LARGE).locks()).allSatisfy(lock -> assertThat(lock.holders()).hasSize(1));
    }

    @Test
    void locksOfMinorityAreNotListed() {
        hold(1, ONE, "left-over-", 5);
        hold(0, ONE, "in-pieces-", 5);
        hold(1, ANOTHER, "in-pieces-", 5);
        assertThat(listed(jvm(), LARGE)).isEmpty();
        QuorumJvm jvm = jvm();
        assertThat(listed(jvm, LARGE)).isEmpty();
        for (String name : List.of("left-over-1", "in-pieces-1")) {
            assertThat(jvm.backend.inspect(name).await().atMost(SOON)).as(name).isEmpty();
            assertThat(jvm.backend.forceRelease(name).await().atMost(SOON)).as(name).isFalse();
        }
    }

    /** The request arrives after the listing has scanned that server. */
    @Test
    @Fault(262)
    void fault262_lockReachingScannedServerLateIsListed() {
        holdEverywhere("n-", 300);
        hold(1, ONE, "late-", 20);
        hold(2, ONE, "late-", 20);
        QuorumJvm jvm = jvm();
        List<String> names = new ArrayList<>();
        LockQuery.Page page;
        do {
            names.clear();
            page = firstPage(jvm);
            page.locks().forEach(lock -> names.add(lock.name()));
            while (position(page.next().orElseThrow()).ended().isEmpty()) {
                page = page(jvm, page.next().get());
                page.locks().forEach(lock -> names.add(lock.name()));
            }
        } while (!position(page.next().get()).hasEnded(0));
        assertThat(names("late-", 20)).as("some are not listed yet").anyMatch(name -> !names.contains(name));
        try (TinyRedis redis = cluster.server(0).connect()) {
            long now = Long.parseLong(redis.list("TIME").get(0)) * 1000 + 1000;
            hold(0, ONE, "late-", 20);
            names("late-", 20).forEach(name -> redis.command("HSET", "lock:q1:{test:" + name + "}", "s", "" + now));
        }
        names.addAll(listed(jvm, page.next().get()));
        assertThat(names).containsAll(names("late-", 20)).containsAll(names("n-", 300));
    }

    @Test
    void waiterOfMinorityIsNotShown() {
        hold(0, ONE, "n-", 1);
        hold(1, ONE, "n-", 1);
        hold(2, ONE, "n-", 1);
        waits(0, "one", 1);
        waits(2, "another", 1);
        QuorumJvm jvm = jvm();
        assertThat(inspected(jvm).waiting()).isEmpty();
        assertThat(inspected(jvm).waiters()).isZero();
        waits(1, "one", 1);
        LockInfo info = inspected(jvm);
        assertThat(info.waiters()).isEqualTo(1);
        assertThat(info.waiting()).singleElement().satisfies(waiter -> {
            assertThat(waiter.owner()).isEqualTo("owner|of one-1");
            assertThat(waiter.waitingFor()).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(5));
        });
    }

    @Test
    void inspectShowsFirstWaitersAndCountsAll() {
        for (int server = 0; server < 3; server++) {
            hold(server, ONE, "n-", 1);
            waits(server, "w", 150 + server);
        }
        LockInfo info = inspected(jvm());
        assertThat(info.waiters()).isEqualTo(151);
        assertThat(info.waiting()).hasSize(100);
        assertThat(info.waiting().get(0).owner()).isIn("owner|of w-150", "owner|of w-151");
    }

    /** In each server's queue, the later claims come first. */
    private void waits(int server, String claim, int count) {
        try (TinyRedis redis = cluster.server(server).connect()) {
            long now = Long.parseLong(redis.list("TIME").get(0)) * 1000;
            for (int i = 1; i <= count; i++) {
                String place = claim + "-" + i + "|lock:q1:jvm:1|owner|of " + claim + "-" + i;
                redis.command("ZADD", "lock:q1:{test:n-0}:w", "" + (now - 60_000 - Math.min(i, 150) * 10L), place);
            }
        }
    }

    private static LockInfo inspected(QuorumJvm jvm) {
        return jvm.backend.inspect("n-0").await().atMost(SOON).orElseThrow();
    }

    @Test
    void unreadableLocksAreSkippedAndLoggedOnce() {
        holdEverywhere("good-", 3);
        for (int server = 0; server < 3; server++) {
            hold(server, ONE, "scribble-", 2);
            try (TinyRedis redis = cluster.server(server).connect()) {
                redis.command("SET", "lock:q1:{test:text}", "something");
                redis.command("HSET", "lock:q1:{test:scribble-0}", "e", "soon");
                redis.command("HSET", "lock:q1:{test:scribble-1}", "g", "many");
            }
        }
        QuorumJvm jvm = jvm();
        try (var log = LogLines.warnings(QuorumLockBackend.class.getName())) {
            assertThat(listed(jvm, LARGE)).containsExactlyInAnyOrderElementsOf(names("good-", 3));
            assertThat(listed(jvm, LARGE)).hasSize(3);
            assertThat(log.messages()).singleElement().asString().contains("left out");
        }
        assertThatThrownBy(() -> jvm.backend.inspect("scribble-1").await().atMost(SOON))
                .isInstanceOf(LockBackendException.class).hasMessageContaining("cannot be read");
    }

    @Test
    void listingUsesOnlyShortCommands() {
        holdEverywhere("n-", 2_000);
        for (int server = 0; server < 3; server++) {
            try (TinyRedis redis = cluster.server(server).connect()) {
                redis.command("CONFIG", "SET", "slowlog-max-len", "100000");
                redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
            }
        }
        assertThat(listed(jvm(), LARGE)).containsExactlyInAnyOrderElementsOf(names("n-", 2_000));
        for (int server = 0; server < 3; server++) {
            for (List<String> command : commands(server)) {
                switch (command.get(0).toUpperCase(Locale.ROOT)) {
                    case "SCAN" -> assertThat(Integer.parseInt(command.get(5))).as("buckets").isBetween(1, 100);
                    case "EVAL", "EVALSHA" -> assertThat(command.get(2)).as("keys of one script").isIn("0", "1", "2");
                    case "KEYS", "SORT", "HGETALL", "HSCAN" -> assertThat(command).as("only short commands").isEmpty();
                    default -> {
                    }
                }
            }
        }
    }

    /** The name and arguments of each command in the slow log. */
    @SuppressWarnings("unchecked")
    private List<List<String>> commands(int server) {
        List<List<String>> commands = new ArrayList<>();
        try (TinyRedis redis = cluster.server(server).connect()) {
            for (Object entry : (List<Object>) Objects.requireNonNull(redis.command("SLOWLOG", "GET", "-1"))) {
                commands.add(((List<Object>) ((List<Object>) entry).get(3)).stream().map(String::valueOf).toList());
            }
        }
        return commands;
    }

    /** On average: a busy machine may delay any command, but a command that read too much would always be slow. */
    @Test
    @FullBuild
    void hundredThousandLocksAreListedByShortCommands(TestReporter reporter) {
        holdEverywhere("n-", 100_000);
        for (int server = 0; server < 3; server++) {
            try (TinyRedis redis = cluster.server(server).connect()) {
                redis.command("CONFIG", "RESETSTAT");
            }
        }
        // On a busy machine a server may be scanned again, and then reports names twice
        assertThat(new HashSet<>(listed(jvm(), LARGE))).hasSize(100_000);
        for (int server = 0; server < 2; server++) {
            try (TinyRedis redis = cluster.server(server).connect()) {
                for (String command : List.of("scan", "evalsha")) {
                    double micros = Double.parseDouble(
                            redis.info("cmdstat_" + command).replaceAll(".*usec_per_call=([0-9.]+).*", "$1"));
                    reporter.publishEntry("server " + server, micros + " us for one " + command);
                    assertThat(micros).as("server microseconds per %s", command).isLessThan(LONGEST_COMMAND);
                }
            }
        }
    }
}
