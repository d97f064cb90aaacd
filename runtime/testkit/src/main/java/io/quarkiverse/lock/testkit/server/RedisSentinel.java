package io.quarkiverse.lock.testkit.server;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.testkit.Await;

/**
 * A Redis master, its replicas, and one sentinel which alone decides that a master is down (quorum 1) and promotes a replica
 * about two seconds after it has gone.
 *
 * <pre>{@code
 * try (RedisSentinel redis = RedisSentinel.start(1)) {
 *     RedisServer former = redis.master();
 *     former.kill();
 *     RedisServer master = redis.awaitPromotion(former);
 * }
 * }</pre>
 */
public final class RedisSentinel implements AutoCloseable {

    /** The name that the sentinel knows the master by. */
    public static final String MASTER = "mymaster";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RedisReplication replication;
    private final RedisServer sentinel;

    private RedisSentinel(RedisReplication replication, RedisServer sentinel) {
        this.replication = replication;
        this.sentinel = sentinel;
    }

    /**
     * Starts all processes and returns when the sentinel could promote any of the replicas.
     *
     * @param configuration lines of {@code redis.conf}, for master and replicas
     */
    public static RedisSentinel start(int replicas, String... configuration) {
        RedisReplication replication = RedisReplication.start(replicas, configuration);
        try {
            RedisServer master = replication.master();
            var all = new RedisSentinel(replication, RedisServer.startSentinel(
                    "sentinel monitor " + MASTER + " " + master.host() + " " + master.port() + " 1",
                    "sentinel down-after-milliseconds " + MASTER + " 1000",
                    "sentinel failover-timeout " + MASTER + " 5000"));
            try {
                all.awaitReplicas(replicas);
                return all;
            } catch (RuntimeException | Error e) {
                all.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            replication.close();
            throw e;
        }
    }

    /** The address as the Quarkus Redis client wants it: of the sentinel. */
    public String url() {
        return sentinel.url();
    }

    public RedisServer sentinel() {
        return sentinel;
    }

    /** The master, as the sentinel says. */
    public RedisServer master() {
        try (TinyRedis redis = sentinel.connect()) {
            int port = Integer.parseInt(redis.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER).get(1));
            return servers().stream().filter(each -> each.port() == port).findFirst().orElseThrow();
        }
    }

    /** All of them, whichever of them is the master; without the sentinel. */
    public List<RedisServer> servers() {
        return replication.servers();
    }

    /** Waits until another server is the master, and answers which. */
    public RedisServer awaitPromotion(RedisServer former) {
        Await.until("a replica is promoted", PATIENCE, () -> {
            RedisServer master = master();
            return master != former && role(master).equals("master");
        });
        return master();
    }

    private static String role(RedisServer server) {
        try (TinyRedis redis = server.connect()) {
            return String.valueOf(redis.info("role"));
        }
    }

    private void awaitReplicas(int count) {
        try (TinyRedis redis = sentinel.connect()) {
            Await.until("the sentinel knows the replicas", PATIENCE, () -> {
                List<String> known = redis.list("SENTINEL", "REPLICAS", MASTER);
                return known.stream().filter(each -> each.contains("master-link-status, ok")).count() == count;
            });
        }
    }

    @Override
    public void close() {
        sentinel.close();
        replication.close();
    }
}
