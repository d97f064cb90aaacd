package io.quarkiverse.lock.testkit.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.quarkiverse.lock.testkit.Await;

/**
 * A Redis Cluster of masters, which share the slots evenly; without replicas, or with one for each.
 *
 * <pre>{@code
 * try (RedisCluster cluster = RedisCluster.start(3)) {
 *     int slot = cluster.slot("lock:1:{shop:stock-7}");
 *     RedisCluster.Move move = cluster.move(slot, other);
 *     ... what is not there yet is asked for where the slot comes from, and the other way round
 *     move.keys();
 *     move.finish();
 * }
 * }</pre>
 */
public final class RedisCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Where a node is.
     *
     * @param clients for clients and for its replicas
     * @param bus for the other nodes
     */
    public record Ports(int clients, int bus) {
    }

    private final int masters;
    private final UnaryOperator<Ports> announced;
    private final List<RedisServer> nodes = new ArrayList<>();
    private final Map<RedisServer, Ports> ports = new HashMap<>();

    private RedisCluster(int masters, UnaryOperator<Ports> announced) {
        this.masters = masters;
        this.announced = announced;
    }

    /**
     * Starts the nodes and returns when each of them knows the owners of all slots.
     *
     * @param configuration lines of {@code redis.conf}, for each of them
     */
    public static RedisCluster start(int masters, String... configuration) {
        return start(new RedisCluster(masters, UnaryOperator.identity()), 0, configuration);
    }

    /**
     * Starts masters and a replica of each, and returns when all replicas follow. They are in this order in {@link #nodes}.
     *
     * @param announced where a node that listens on these ports is, as it announces to clients and to other nodes: behind
     *        proxies, for instance. It may be asked more than once for a node, and its last answer counts.
     * @param configuration lines of {@code redis.conf}, for each of them
     */
    public static RedisCluster startWithReplicas(int masters, UnaryOperator<Ports> announced, String... configuration) {
        return start(new RedisCluster(masters, announced), masters, configuration);
    }

    private static RedisCluster start(RedisCluster cluster, int replicas, String... configuration) {
        try {
            var lines = new ArrayList<>(List.of(RedisServer.CLUSTER, "cluster-node-timeout 3000",
                    "repl-diskless-sync-delay 0"));
            lines.addAll(List.of(configuration));
            for (int i = 0; i < cluster.masters + replicas; i++) {
                cluster.startNode(lines);
            }
            cluster.join();
            cluster.nodes.subList(0, replicas).forEach(master -> cluster.follow(cluster.partner(master), master));
            cluster.awaitAgreement();
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private void startNode(List<String> lines) {
        var last = new AtomicReference<Ports>();
        RedisServer node = RedisServer.startNode(port -> {
            Ports told = announced.apply(new Ports(port, port + FreePort.BUS));
            last.set(told);
            return List.of("cluster-announce-port " + told.clients(), "cluster-announce-bus-port " + told.bus());
        }, lines);
        nodes.add(node);
        ports.put(node, last.get());
    }

    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** The node that was started as this one's replica, or as its master, whatever their present roles. */
    public RedisServer partner(RedisServer node) {
        return nodes.get((nodes.indexOf(node) + masters) % nodes.size());
    }

    /** {@code host:port} as the node announces it to clients. */
    public String address(RedisServer node) {
        return node.host() + ":" + ports.get(node).clients();
    }

    /** The addresses as the Quarkus Redis client wants them, separated by commas. */
    public String urls() {
        return nodes.stream().map(RedisServer::url).collect(Collectors.joining(","));
    }

    /** The slot of a key. */
    public int slot(String key) {
        try (TinyRedis redis = nodes.get(0).connect()) {
            return (int) redis.number("CLUSTER", "KEYSLOT", key);
        }
    }

    /** The owner of the slot, according to the owner itself. */
    public RedisServer owner(int slot) {
        for (RedisServer node : nodes) {
            try (TinyRedis redis = node.connect()) {
                if (has(redis, slot)) {
                    return node;
                }
            }
        }
        throw new IllegalStateException("Nobody has slot " + slot);
    }

    /** Begins to move a slot: from now on its owner redirects requests for missing keys to the other node. */
    public Move move(int slot, RedisServer to) {
        return new Move(slot, owner(slot), to);
    }

    /** A slot on its way to another node. */
    public final class Move {

        private final int slot;
        private final RedisServer from;
        private final RedisServer to;

        private Move(int slot, RedisServer from, RedisServer to) {
            this.slot = slot;
            this.from = from;
            this.to = to;
            command(to, "CLUSTER", "SETSLOT", "" + slot, "IMPORTING", id(from));
            command(from, "CLUSTER", "SETSLOT", "" + slot, "MIGRATING", id(to));
        }

        /** Moves the keys that are in the slot now. */
        public void keys() {
            try (TinyRedis redis = from.connect()) {
                for (String key : redis.list("CLUSTER", "GETKEYSINSLOT", "" + slot, "1000")) {
                    redis.command("MIGRATE", to.host(), "" + to.port(), key, "0", "5000");
                }
            }
        }

        /** Makes the other node the owner of the slot. */
        public void finish() {
            String id = id(to);
            command(to, "CLUSTER", "SETSLOT", "" + slot, "NODE", id);
            command(from, "CLUSTER", "SETSLOT", "" + slot, "NODE", id);
        }
    }

    private void join() {
        RedisServer first = nodes.get(0);
        for (int i = 0; i < masters; i++) {
            RedisServer node = nodes.get(i);
            command(node, "CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
            var words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            for (int slot = SLOTS * i / masters; slot < SLOTS * (i + 1) / masters; slot++) {
                words.add("" + slot);
            }
            command(node, words.toArray(String[]::new));
        }
        for (RedisServer node : nodes.subList(1, nodes.size())) {
            command(node, "CLUSTER", "MEET", first.host(), "" + ports.get(first).clients(), "" + ports.get(first).bus());
        }
        for (RedisServer node : nodes) {
            try (TinyRedis redis = node.connect()) {
                Await.until("node " + node.port() + " knows the cluster", PATIENCE,
                        () -> redis.list("CLUSTER", "SLOTS").size() == masters);
            }
        }
        awaitAgreement();
    }

    private void follow(RedisServer replica, RedisServer master) {
        command(replica, "CLUSTER", "REPLICATE", id(master));
        awaitReplica(replica);
    }

    /** Promotes a replica without asking anybody: its master continues until it hears of it. */
    public void takeOver(RedisServer replica) {
        command(replica, "CLUSTER", "FAILOVER", "TAKEOVER");
        try (TinyRedis redis = replica.connect()) {
            Await.until("it is a master", PATIENCE, () -> "master".equals(redis.info("role")));
        }
    }

    /** Returns when the node is a replica that has all data of its master. */
    public void awaitReplica(RedisServer node) {
        try (TinyRedis redis = node.connect()) {
            Await.until("node " + node.port() + " follows its master", PATIENCE,
                    () -> "slave".equals(redis.info("role")) && "up".equals(redis.info("master_link_status")));
        }
    }

    /** Returns when every node knows that all are there, as after one has restarted. */
    public void awaitAgreement() {
        for (RedisServer node : nodes) {
            try (TinyRedis redis = node.connect()) {
                Await.until("node " + node.port() + " finds the cluster well", PATIENCE,
                        () -> redis.text("CLUSTER", "INFO").contains("cluster_state:ok")
                                && redis.text("CLUSTER", "NODES").lines().noneMatch(line -> line.contains("fail")
                                        || line.contains("disconnected")));
            }
        }
    }

    private static boolean has(TinyRedis redis, int slot) {
        return redis.text("CLUSTER", "NODES").lines().filter(line -> line.contains("myself"))
                .flatMap(line -> List.of(line.split(" ")).stream().skip(8))
                .filter(part -> !part.startsWith("["))
                .anyMatch(range -> {
                    String[] ends = range.split("-");
                    return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
                });
    }

    private static String id(RedisServer node) {
        try (TinyRedis redis = node.connect()) {
            return String.valueOf(redis.text("CLUSTER", "MYID"));
        }
    }

    private static void command(RedisServer node, String... words) {
        try (TinyRedis redis = node.connect()) {
            redis.command(words);
        }
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
