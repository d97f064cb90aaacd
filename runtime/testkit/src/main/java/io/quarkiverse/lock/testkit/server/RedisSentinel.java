package io.quarkiverse.lock.testkit.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.testkit.Await;

/**
 * A Redis master, its replicas, and sentinels. The majority of the sentinels decides that a master is down, and promotes a
 * replica about two seconds after it has gone.
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
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinel(RedisReplication replication) {
        this.replication = replication;
    }

    /** With one sentinel, which decides alone. */
    public static RedisSentinel start(int replicas, String... configuration) {
        return start(replicas, 1, configuration);
    }

    /**
     * Starts all processes and returns when the sentinels could promote any of the replicas.
     *
     * @param configuration lines of {@code redis.conf}, for master and replicas
     */
    public static RedisSentinel start(int replicas, int sentinels, String... configuration) {
        var all = new RedisSentinel(RedisReplication.start(replicas, configuration));
        try {
            RedisServer master = all.replication.master();
            for (int i = 0; i < sentinels; i++) {
                all.sentinels.add(RedisServer.startSentinel(
                        "sentinel monitor " + MASTER + " " + master.host() + " " + master.port() + " " + (sentinels / 2 + 1),
                        // Longer than the second between two pings, otherwise a busy machine makes a new master look dead
                        "sentinel down-after-milliseconds " + MASTER + " 2000",
                        "sentinel failover-timeout " + MASTER + " 5000"));
            }
            all.awaitReady();
            return all;
        } catch (RuntimeException | Error e) {
            all.close();
            throw e;
        }
    }

    /** The address in the form the Quarkus Redis client expects: that of the first sentinel. */
    public String url() {
        return sentinel().url();
    }

    /** The addresses of all sentinels. */
    public List<String> urls() {
        return sentinels.stream().map(RedisServer::url).toList();
    }

    /** The first of them. */
    public RedisServer sentinel() {
        return sentinels.get(0);
    }

    /** The master according to the first sentinel. */
    public RedisServer master() {
        int port = masterPort(sentinel());
        return servers().stream().filter(each -> each.port() == port).findFirst().orElseThrow();
    }

    /** Whether each sentinel names another server as the master: then nobody is directed to this one any more. */
    public boolean replaced(RedisServer former) {
        return sentinels.stream().allMatch(each -> masterPort(each) != former.port());
    }

    private static int masterPort(RedisServer sentinel) {
        try (TinyRedis redis = sentinel.connect()) {
            return Integer.parseInt(redis.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER).get(1));
        }
    }

    /** All servers, whichever is the master; without the sentinels. */
    public List<RedisServer> servers() {
        return replication.servers();
    }

    /** Asks the first sentinel to replace the master as soon as a previous fail-over allows it; does not wait for the end. */
    public void failOver() {
        try (TinyRedis redis = sentinel().connect()) {
            Await.until("the sentinel replaces the master", PATIENCE, () -> {
                try {
                    redis.command("SENTINEL", "FAILOVER", MASTER);
                    return true;
                } catch (TinyRedis.ErrorReply e) {
                    if (e.getMessage().startsWith("INPROG") || e.getMessage().startsWith("NOGOODSLAVE")) {
                        return false;
                    }
                    throw e;
                }
            });
        }
    }

    /** Waits until another server is the master, and returns it. */
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

    /** Waits until every sentinel knows the others, and knows that all servers but the master are replicas that follow it. */
    public void awaitReady() {
        int replicas = servers().size() - 1;
        for (RedisServer sentinel : sentinels) {
            try (TinyRedis redis = sentinel.connect()) {
                Await.until("the sentinel knows the replicas and the other sentinels", PATIENCE, () -> {
                    List<String> known = redis.list("SENTINEL", "REPLICAS", MASTER);
                    return known.stream().filter(each -> each.contains("master-link-status, ok")).count() == replicas
                            && redis.list("SENTINEL", "SENTINELS", MASTER).size() == sentinels.size() - 1;
                });
            }
        }
    }

    /** All servers but the master. */
    public List<RedisServer> replicas() {
        RedisServer master = master();
        return servers().stream().filter(each -> each != master).toList();
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        replication.close();
    }
}
