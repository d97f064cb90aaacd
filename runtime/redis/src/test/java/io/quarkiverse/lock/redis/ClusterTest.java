package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.ClusterClients;
import io.quarkiverse.lock.redis.topology.ClusterRoute;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * Names on three nodes; clients know one node at the start. Slots move while locks have holders and waiters: fault 29.
 */
class ClusterTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static RedisCluster cluster;

    @AutoClose
    private final Opened opened = new Opened();

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(3, "cluster-require-full-coverage no");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void empty() {
        for (RedisServer node : cluster.nodes()) {
            try (TinyRedis there = node.connect()) {
                there.command("FLUSHALL");
            }
        }
    }

    private static RedisConnections link(int acks) {
        return link(acks, node -> node);
    }

    /** @param address maps the address of a node to the one to connect to */
    private static RedisConnections link(int acks, UnaryOperator<String> address) {
        var options = new RedisLockOptions("lock:", Duration.ofSeconds(2), Duration.ofSeconds(60), true, "quarkus.redis.",
                acks);
        return RedisConnections.toCluster(options, new ClusterClients() {
            @Override
            public List<String> seeds() {
                return List.of(cluster.nodes().get(0).host() + ":" + cluster.nodes().get(0).port());
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://" + address.apply(node)));
            }
        });
    }

    private Jvm jvm() {
        return opened.add(new Jvm(link(0)));
    }

    private LockManager locks() {
        return locks(link(0));
    }

    private LockManager locks(RedisConnections link) {
        return opened.add(LockEngine.builder(new RedisLockBackend(link, "test", "somebody")).start())
                .manager(ManagerDefaults.STANDARD);
    }

    private static String key(String name) {
        return "lock:1:{test:" + name + "}";
    }

    private static RedisServer owner(String name) {
        return cluster.owner(cluster.slot(key(name)));
    }

    /** Three names, each on a different node. */
    private static List<String> names() {
        Map<RedisServer, String> names = new HashMap<>();
        for (int i = 0; names.size() < 3; i++) {
            names.putIfAbsent(owner("name-" + i), "name-" + i);
        }
        return List.copyOf(names.values());
    }

    private static List<String> fields(String name) {
        try (TinyRedis there = owner(name).connect()) {
            return there.list("HKEYS", key(name));
        }
    }

    private static void awaitFree() {
        for (RedisServer node : cluster.nodes()) {
            try (TinyRedis there = node.connect()) {
                Await.until("nobody holds or waits on node " + node.port(), SOON,
                        () -> there.keys("*").stream().allMatch(key -> there.list("HKEYS", key).stream()
                                .noneMatch(field -> field.startsWith("h:") || field.startsWith("w:"))));
            }
        }
    }

    @Test
    void lockLifecycleWorksOnEveryNode() {
        Jvm holder = jvm();
        Jvm other = jvm();
        for (String name : names()) {
            Grant first = holder.grant(name);
            assertThat(other.ask(name)).isInstanceOf(io.quarkiverse.lock.spi.Busy.class);
            Jvm.Waiting waiting = other.claim(name);
            awaitReachable(waiting);
            assertThat(Jvm.get(holder.backend.inspect(name)).orElseThrow().waiters()).isEqualTo(1);
            // From here on, only a message can notify the waiter.
            other.time.timers = false;
            holder.release(first);
            Grant second = waiting.grant();
            other.time.timers = true;
            assertThat(second.fence()).isGreaterThan(first.fence());
            assertThat(other.renew(second).renewed()).hasSize(1);
            assertThat(Jvm.get(holder.backend.forceRelease(name))).isTrue();
            Await.until("it is told that it was forced", SOON, () -> other.told.lost.containsKey(second));
            Grant third = holder.grant(name);
            assertThat(third.fence()).isGreaterThan(second.fence());
            holder.release(third);
        }
        awaitFree();
    }

    @Test
    void onlyNamesOfSameSlotAreAcquiredInOneCall() {
        Jvm jvm = jvm();
        LockManager locks = locks(jvm.link);
        jvm.listening(); // otherwise the recheck after the subscription may add a call
        String one = "name-0";
        String other = sameSlotAs(one);
        List<String> apart = names();
        locks.all(one, other).acquire().close(); // loads the scripts into the servers
        locks.all(apart.get(0), apart.get(1)).acquire().close();
        eachNode(ScriptCalls::reset);
        LockHandle both = locks.all(one, other).acquire();
        assertThat(sum(ScriptCalls::count)).isEqualTo(1);
        assertThat(fields(other)).hasSize(2);
        both.close();
        eachNode(ScriptCalls::reset);
        LockHandle two = locks.all(apart.get(0), apart.get(1)).acquire();
        assertThat(sum(ScriptCalls::count)).isEqualTo(2);
        assertThat(two.isValid()).isTrue();
        two.close();
        awaitFree();
    }

    private static String sameSlotAs(String name) {
        int slot = ClusterRoute.slot(key(name));
        int i = 0;
        while (ClusterRoute.slot(key("other-" + i)) != slot) {
            i++;
        }
        return "other-" + i;
    }

    private static void eachNode(Consumer<TinyRedis> task) {
        for (RedisServer node : cluster.nodes()) {
            try (TinyRedis there = node.connect()) {
                task.accept(there);
            }
        }
    }

    private static int sum(ToIntFunction<TinyRedis> task) {
        int sum = 0;
        for (RedisServer node : cluster.nodes()) {
            try (TinyRedis there = node.connect()) {
                sum += task.applyAsInt(there);
            }
        }
        return sum;
    }

    private static void awaitReachable(Jvm.Waiting waiting) {
        Await.until("it is queued with a channel", SOON, () -> {
            try (TinyRedis there = owner(waiting.claim.name()).connect()) {
                String entry = there.text("HGET", key(waiting.claim.name()), "w:" + waiting.claim.token());
                return entry != null && !entry.split("\\|", -1)[3].isEmpty();
            }
        });
    }

    @Test
    void manyHoldsAcrossAllSlotsAreRenewed() {
        Jvm jvm = jvm();
        var grants = new ArrayList<Grant>();
        var owners = new HashSet<RedisServer>();
        for (int i = 0; i < 300; i++) {
            grants.add(jvm.grant("many-" + i));
        }
        for (int i = 0; i < 30; i++) {
            owners.add(owner("many-" + i));
        }
        assertThat(owners).hasSize(3);
        assertThat(jvm.renew(grants.toArray(Grant[]::new)).renewed()).hasSize(300);
        grants.forEach(jvm::release);
        awaitFree();
    }

    @Test
    void noIncrementIsLostBetweenTwoJvms() {
        List<LockManager> jvms = List.of(locks(), locks());
        List<String> names = names();
        int[] counts = new int[3];
        var done = new ArrayList<CompletableFuture<Void>>();
        for (LockManager jvm : jvms) {
            for (int i = 0; i < 3; i++) {
                int n = i;
                done.add(CompletableFuture.runAsync(() -> {
                    for (int round = 0; round < 50; round++) {
                        try (LockHandle hold = jvm.lock(names.get(n)).acquire()) {
                            counts[n] = counts[n] + 1;
                            assertThat(hold.isValid()).isTrue();
                        }
                    }
                }, task -> new Thread(task).start()));
            }
        }
        assertThat(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))).succeedsWithin(Duration.ofSeconds(120));
        assertThat(counts).containsOnly(100);
        awaitFree();
    }

    @Fault(29)
    @Test
    void fault29_holdersAndWaitersSurviveSlotMigration() {
        Jvm holder = jvm();
        Jvm other = jvm();
        String name = names().get(0);
        Grant first = holder.grant(name);
        Jvm.Waiting waiting = other.claim(name);
        awaitReachable(waiting);
        RedisServer from = owner(name);
        RedisServer to = cluster.nodes().stream().filter(node -> node != from).findFirst().orElseThrow();
        int slot = cluster.slot(key(name));

        int checks = holder.told.rechecks.get();
        RedisCluster.Move move = cluster.move(slot, to);
        assertThat(holder.renew(first).renewed()).as("not moved yet").hasSize(1);
        move.keys();
        for (int i = 0; i < 20; i++) {
            // The key has moved, the slot has not.
            assertThat(holder.renew(first).renewed()).as("moved, round " + i).hasSize(1);
        }
        assertThat(other.ask(name)).isInstanceOf(io.quarkiverse.lock.spi.Busy.class);
        move.finish();
        assertThat(holder.renew(first).renewed()).as("slot moved").hasSize(1);
        Await.until("all is checked after the move", SOON, () -> holder.told.rechecks.get() > checks);
        assertThat(waiting.answer).isNotDone();
        holder.release(first);
        Grant second = waiting.grant();
        assertThat(second.fence()).isGreaterThan(first.fence());
        assertThat(fields(name)).contains("h:" + second.claim().token());
        other.release(second);

        // Move it back under load.
        LockManager locks = locks();
        RedisCluster.Move back = cluster.move(slot, from);
        var options = LockOptions.DEFAULTS.withWaitFor(SOON);
        for (int i = 0; i < 30; i++) {
            locks.lock(name, options).acquire().close();
            if (i == 10) {
                back.keys();
            }
            if (i == 20) {
                back.finish();
            }
        }
        awaitFree();
    }

    @Fault(101)
    @Test
    void fault101_redirectedReleaseReportsLostGrant() {
        for (boolean finished : new boolean[] { false, true }) {
            Jvm jvm = jvm();
            String name = names().get(0);
            Grant grant = jvm.grant(name);
            RedisServer from = owner(name);
            RedisServer to = cluster.nodes().stream().filter(node -> node != from).findFirst().orElseThrow();
            RedisCluster.Move move = cluster.move(cluster.slot(key(name)), to);
            move.keys();
            if (finished) {
                move.finish();
            }
            try (TinyRedis there = to.connect()) {
                if (!finished) {
                    there.command("ASKING");
                }
                there.command("DEL", key(name));
            }
            assertThatExceptionOfType(LockLostException.class).as("redirected by %s", finished ? "MOVED" : "ASK")
                    .isThrownBy(() -> jvm.release(grant));
            if (!finished) {
                move.finish();
            }
        }
    }

    /** Conversely, a redirection does not hide an attempt that the server may have run. */
    @Fault(101)
    @Test
    void fault101_redirectedRepeatedReleaseReportsNoLoss() {
        Jvm jvm = jvm();
        String name = names().get(0);
        Grant grant = jvm.grant(name);
        jvm.release(grant);
        RedisServer from = owner(name);
        RedisServer to = cluster.nodes().stream().filter(node -> node != from).findFirst().orElseThrow();
        RedisCluster.Move move = cluster.move(cluster.slot(key(name)), to);
        move.keys();
        move.finish();
        assertThat(isRedirected(from, () -> jvm.release(grant))).isTrue();
        Await.until("the JVM knows the new owner", SOON, () -> !isRedirected(from, () -> jvm.release(grant)));
        RedisCluster.Move back = cluster.move(cluster.slot(key(name)), from);
        back.keys();
        back.finish();
        assertThat(isRedirected(to, () -> jvm.release(grant))).isTrue();
        assertThat(jvm.told.lost).isEmpty();
    }

    private static boolean isRedirected(RedisServer by, Runnable request) {
        try (TinyRedis redis = by.connect()) {
            redis.command("CONFIG", "RESETSTAT");
            request.run();
            return redis.text("INFO", "errorstats").contains("errorstat_MOVED:");
        }
    }

    @Test
    void hangingNodeAffectsOnlyItsOwnNames() {
        Jvm jvm = jvm();
        List<String> names = names();
        var grants = names.stream().map(jvm::grant).toList();
        RedisServer hangs = owner(names.get(0));
        hangs.pause();
        try {
            for (int i = 0; i < 20; i++) {
                assertThat(jvm.renew(grants.get(1), grants.get(2)).renewed()).hasSize(2);
            }
            assertThat(jvm.renew(grants.get(0)).unknown()).hasSize(1);
            assertThat(jvm.renew(grants.get(1), grants.get(2)).renewed()).hasSize(2);
        } finally {
            hangs.resume();
        }
        Await.until("it can be renewed again", SOON, () -> jvm.renew(grants.get(0)).renewed().size() == 1);
        grants.forEach(jvm::release);
        awaitFree();
    }

    @Test
    void listIncludesNamesOfAllNodes() {
        Jvm jvm = jvm();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            names.add("listed-" + i);
        }
        var grants = names.stream().map(jvm::grant).toList();
        Jvm other = jvm();
        var found = new HashSet<String>();
        Optional<LockQuery> query = Optional.of(LockQuery.ALL.withPageSize(7));
        while (query.isPresent()) {
            LockQuery.Page page = Jvm.get(other.backend.list(query.get()));
            page.locks().forEach(lock -> found.add(lock.name()));
            query = page.next();
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(names);
        // Continue at a node that has left the cluster
        LockQuery.Page gone = Jvm.get(other.backend.list(LockQuery.ALL.withContinuation("17@run@1@0.0.0.0:1")
                .withPageSize(1000)));
        assertThat(gone.locks()).isNotEmpty();
        grants.forEach(jvm::release);
        awaitFree();
    }

    /** The name moves from a node not yet scanned to one already scanned. */
    @Test
    void nameMovedToAlreadyScannedNodeIsListed() {
        Jvm jvm = jvm();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            names.add("moving-" + i);
        }
        var grants = names.stream().map(jvm::grant).toList();
        List<RedisServer> inOrder = cluster.nodes().stream().sorted(Comparator.comparing(ClusterTest::address)).toList();
        String moving = names.stream().filter(name -> owner(name) == inOrder.get(2)).findFirst().orElseThrow();
        Jvm other = jvm();
        var found = new HashSet<String>();
        boolean moved = false;
        Optional<LockQuery> query = Optional.of(LockQuery.ALL.withPageSize(7));
        while (query.isPresent()) {
            LockQuery.Page page = Jvm.get(other.backend.list(query.get()));
            page.locks().forEach(lock -> found.add(lock.name()));
            query = page.next();
            if (!moved && !query.orElseThrow().continuation().endsWith("@" + address(inOrder.get(0)))) {
                assertThat(found).doesNotContain(moving);
                move(moving, inOrder.get(0));
                moved = true;
            }
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(names);
        move(moving, inOrder.get(2));
        grants.forEach(jvm::release);
        awaitFree();
    }

    private static void move(String name, RedisServer to) {
        RedisCluster.Move move = cluster.move(cluster.slot(key(name)), to);
        move.keys();
        move.finish();
    }

    private static String address(RedisServer node) {
        return node.host() + ":" + node.port();
    }

    /** The connection is idle between locks, and a firewall drops it; the next lock would wait in vain. */
    @Fault(391)
    @Test
    void fault391_deadAckConnectionToNodeIsReplacedBeforeUse() {
        RedisServer seed = cluster.nodes().get(0);
        FaultProxy path = opened.add(FaultProxy.to(seed.host(), seed.port()));
        Jvm jvm = opened.add(new Jvm(link(1, node -> node.equals(seed.host() + ":" + seed.port())
                ? path.host() + ":" + path.port()
                : node))).listening();
        String name = names().stream().filter(each -> owner(each) == seed).findFirst().orElseThrow();
        ClientRuleTest.failure(() -> jvm.ask(name)); // fails without replicas, but opens the connection
        awaitFree(); // the connection is idle
        var dead = path.connections().stream().filter(each -> each.sent().contains("wait")).toList();
        assertThat(dead).hasSize(1);
        int dialled = path.accepted();
        dead.get(0).mode(Mode.BLACKHOLE);
        Await.until("there is another one", SOON, () -> path.accepted() > dialled);
    }

    /** One node may evict locks, or forbid messages, while the others do not. */
    @Fault(454)
    @Test
    void fault454_eachNodeIsCheckedOnceForLockSafety() {
        for (int i = 0; i < 5; i++) { // regardless of which node is reached first
            eachNode(there -> there.command("CONFIG", "RESETSTAT"));
            Jvm jvm = jvm();
            for (String name : names()) {
                jvm.release(jvm.grant(name)); // the node was checked before this
            }
            eachNode(there -> assertThat(there.info("cmdstat_info")).as("INFO calls").startsWith("calls=1,"));
        }
    }

    @Test
    void acquireFailsWithoutReplicasToAcknowledge() {
        Jvm jvm = opened.add(new Jvm(link(1)));
        for (String name : names()) {
            assertThat(ClientRuleTest.failure(() -> jvm.ask(name))).hasMessageContaining("quarkus.lock.redis.replica-acks=1");
        }
        awaitFree();
    }
}
