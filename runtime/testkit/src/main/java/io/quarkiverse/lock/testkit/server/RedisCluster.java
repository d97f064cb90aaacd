package io.quarkiverse.lock.testkit.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.quarkiverse.lock.testkit.Await;

/**
 * A Redis Cluster of masters without replicas, which share the slots evenly.
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

    private final List<RedisServer> nodes = new ArrayList<>();

    private RedisCluster() {
    }

    /**
     * Starts the nodes and returns when each of them knows who has which slots.
     *
     * @param configuration lines of {@code redis.conf}, for each of them
     */
    public static RedisCluster start(int masters, String... configuration) {
        var cluster = new RedisCluster();
        try {
            var lines = new ArrayList<>(List.of(RedisServer.CLUSTER, "cluster-node-timeout 3000"));
            lines.addAll(List.of(configuration));
            for (int i = 0; i < masters; i++) {
                cluster.nodes.add(RedisServer.start(lines.toArray(String[]::new)));
            }
            cluster.join();
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
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

    /** Who has the slot, as its owner says. */
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

    /** Begins to move a slot: from now on its owner sends those who ask for what it does not have to the other node. */
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

        /** The slot is the other node's. */
        public void finish() {
            String id = id(to);
            command(to, "CLUSTER", "SETSLOT", "" + slot, "NODE", id);
            command(from, "CLUSTER", "SETSLOT", "" + slot, "NODE", id);
        }
    }

    private void join() {
        RedisServer first = nodes.get(0);
        for (int i = 0; i < nodes.size(); i++) {
            RedisServer node = nodes.get(i);
            command(node, "CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
            var words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            for (int slot = SLOTS * i / nodes.size(); slot < SLOTS * (i + 1) / nodes.size(); slot++) {
                words.add("" + slot);
            }
            command(node, words.toArray(String[]::new));
            if (node != first) {
                command(node, "CLUSTER", "MEET", first.host(), "" + first.port());
            }
        }
        for (RedisServer node : nodes) {
            try (TinyRedis redis = node.connect()) {
                Await.until("node " + node.port() + " knows the cluster", PATIENCE,
                        () -> redis.list("CLUSTER", "SLOTS").size() == nodes.size());
            }
        }
        awaitAgreement();
    }

    /** Returns when every node knows that all are there, as after the restart of one. */
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
