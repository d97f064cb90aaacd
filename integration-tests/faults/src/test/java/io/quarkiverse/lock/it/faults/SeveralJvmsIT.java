package io.quarkiverse.lock.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Four JVMs of the packaged application, with one Redis and one database. */
@DisplayNameGeneration(FaultDisplayNames.class)
class SeveralJvmsIT {

    private static final int JVMS = 4;

    private static RedisServer redis;
    private static Database database;
    private static final List<Node> NODES = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        redis = RedisServer.start();
        database = new Database();
        for (int i = 0; i < JVMS; i++) {
            NODES.add(node("node-" + i));
        }
        NODES.forEach(Node::awaitReady);
    }

    private static Node node(String name) throws Exception {
        return new Node(name, "/count",
                Map.of("quarkus.redis.hosts", redis.url(), "quarkus.datasource.jdbc.url", database.url()));
    }

    @AfterAll
    static void stop() {
        NODES.forEach(Node::close);
        database.close();
        redis.close();
    }

    @Test
    @Fault(51)
    void fault51_innerTransactionCommitsBeforeNextHolderReads() throws Exception {
        assertThat(count("/count/around/")).isZero();
    }

    @Test
    @Fault(51)
    void fault51_lockIsKeptUntilCallersTransactionCommits() throws Exception {
        assertThat(count("/count/inside/")).isZero();
    }

    @Test
    void incrementsAreLostWithoutLock() throws Exception {
        assertThat(count("/count/unguarded/")).as("otherwise the other tests prove nothing").isPositive();
    }

    /** Counts with two threads in each JVM. Returns the number of missing increments. */
    private static int count(String path) throws Exception {
        int each = Scale.times(500, 50);
        database.reset();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (Node node : NODES) {
            all.add(node.post(path + each));
            all.add(node.post(path + each));
        }
        for (var one : all) {
            assertThat(one.get(3, TimeUnit.MINUTES)).isEqualTo(204);
        }
        return all.size() * each - database.count();
    }

    @Test
    @Fault(3)
    void fault03_terminatedApplicationFinishesAndReleases() throws Exception {
        try (Node ending = node("ending"); TinyRedis store = redis.connect()) {
            ending.awaitReady();
            // The first lock connects and loads classes: if terminated meanwhile, it would refuse what Redis has just granted
            assertThat(ending.post("/slow/sigterm/0").get(30, TimeUnit.SECONDS)).isEqualTo(200);
            var finishing = ending.post("/slow/sigterm/6000");
            Await.until("it is locked", Duration.ofSeconds(10), () -> holders(store) == 1);
            var next = NODES.get(0).post("/slow/sigterm/0");
            ending.terminate();
            assertThat(finishing.get(30, TimeUnit.SECONDS)).isEqualTo(200);
            assertThat(next.get(20, TimeUnit.SECONDS)).as("the lease is 30 s, so it has been released").isEqualTo(200);
            Await.until("it has ended", Duration.ofSeconds(20), () -> !ending.isRunning());
            assertThat(holders(store)).isZero();
        }
    }

    private static int holders(TinyRedis store) {
        String key = key(store);
        return key == null ? 0
                : (int) store.list("HKEYS", key).stream().filter(field -> field.startsWith("h:")).count();
    }

    private static String key(TinyRedis store) {
        return store.keys("*slow-sigterm*").stream().findFirst().orElse(null);
    }
}
