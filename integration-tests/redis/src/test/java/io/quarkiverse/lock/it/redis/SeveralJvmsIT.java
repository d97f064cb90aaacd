package io.quarkiverse.lock.it.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** Four JVMs of the packaged application. */
@DisplayNameGeneration(FaultDisplayNames.class)
class SeveralJvmsIT {

    private static final int JVMS = 4;
    private static final int THREADS = 8;
    private static final int ACCOUNTS = 20;
    private static final int EACH = 1_000;
    private static final int RUN_MILLIS = Scale.times(60_000, 5_000);
    private static final int PERIOD_SECONDS = 5;
    private static final int FIRINGS = Scale.times(6, 2);

    private static RedisServer redis;
    private static final List<Node> NODES = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServer.start();
        for (int i = 0; i < JVMS; i++) {
            NODES.add(new Node("node-" + i, "/orders/most-at-once", Map.of("quarkus.redis.hosts", redis.url(),
                    "quarkus.lock.owner", "node-" + i, "it.reports.cron", cron(i))));
        }
        NODES.forEach(Node::awaitReady);
    }

    /** Every five seconds; two of the clocks are one second late. */
    private static String cron(int node) {
        return node % 2 + "/" + PERIOD_SECONDS + " * * * * ?";
    }

    @AfterAll
    static void stop() {
        NODES.forEach(Node::close);
        redis.close();
    }

    /** A transfer waits at most 10 s; if its locks are still busy then, the run fails. */
    @Test
    @Fault(62)
    void fault62_transfersKeepTheSum() throws Exception {
        assertThat(sumAfterTransfers("guarded", RUN_MILLIS, true)).isEqualTo(ACCOUNTS * EACH);
        for (Node node : NODES) {
            assertThat(Long.parseLong(node.get("/transfers/guarded/made"))).isPositive();
        }
    }

    @Test
    void sumIsWrongWithoutLocks() throws Exception {
        assertThat(sumAfterTransfers("unguarded", 2_000, false)).as("otherwise the guarded test proves nothing")
                .isNotEqualTo(ACCOUNTS * EACH);
    }

    private static int sumAfterTransfers(String bank, int millis, boolean guarded) throws Exception {
        open(bank, ACCOUNTS);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (Node node : NODES) {
            all.add(node.post("/transfers/" + bank + "/random?accounts=" + ACCOUNTS + "&threads=" + THREADS + "&millis="
                    + millis + "&guarded=" + guarded));
        }
        assertAllDone(all);
        return sum(bank, ACCOUNTS);
    }

    /** Two JVMs move from A to B, two from B to A: without a common order they would soon deadlock. */
    @Test
    @Fault(62)
    void fault62_oppositeTransfersDoNotDeadlock() throws Exception {
        open("opposite", 2);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < JVMS; i++) {
            all.add(NODES.get(i).post("/transfers/opposite/one-way?from=" + i % 2 + "&to=" + (1 - i % 2) + "&threads="
                    + THREADS + "&millis=" + Math.min(RUN_MILLIS, 20_000)));
        }
        assertAllDone(all);
        assertThat(sum("opposite", 2)).isEqualTo(2 * EACH);
    }

    private static void open(String bank, int accounts) throws Exception {
        assertThat(NODES.get(0).put("/transfers/" + bank + "?accounts=" + accounts + "&each=" + EACH)
                .get(1, TimeUnit.MINUTES)).isEqualTo(204);
    }

    private static int sum(String bank, int accounts) throws Exception {
        return Integer.parseInt(NODES.get(1).get("/transfers/" + bank + "?accounts=" + accounts));
    }

    /** 423 would mean a busy lock. */
    private static void assertAllDone(List<CompletableFuture<Integer>> all) throws Exception {
        for (var one : all) {
            assertThat(one.get(3, TimeUnit.MINUTES)).isEqualTo(204);
        }
    }

    @Test
    void scheduledRunHappensOnOneNode() throws Exception {
        Set<Long> before = runs("all").keySet(); // some nodes may not have run these yet, or not at all
        TreeSet<Long> due = new TreeSet<>();
        Await.until("all nodes have run " + FIRINGS + " times", Duration.ofSeconds(PERIOD_SECONDS * FIRINGS + 60L), () -> {
            runs("all").forEach((time, nodes) -> {
                if (!before.contains(time) && nodes.size() == JVMS) {
                    due.add(time);
                }
            });
            return due.size() > FIRINGS;
        });
        due.pollLast(); // the locked one may still be running on some node
        Map<Long, List<String>> once = runs("one");
        for (Long time : due) {
            assertThat(once.getOrDefault(time, List.of())).as("nodes that have run what was due in period " + time).hasSize(1);
        }
    }

    /** The nodes, by the period in which the run was due. */
    private static Map<Long, List<String>> runs(String kind) throws Exception {
        Map<Long, List<String>> runs = new TreeMap<>();
        NODES.get(0).get("/reports/" + kind).lines().filter(line -> !line.isBlank()).map(line -> line.split(" "))
                .forEach(words -> runs.computeIfAbsent(Instant.parse(words[0]).getEpochSecond() / PERIOD_SECONDS,
                        period -> new ArrayList<>()).add(words[1]));
        return runs;
    }
}
