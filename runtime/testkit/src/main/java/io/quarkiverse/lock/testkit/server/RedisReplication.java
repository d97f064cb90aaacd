package io.quarkiverse.lock.testkit.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.testkit.Await;

/**
 * A Redis master and its replicas, each a {@link RedisServer}.
 *
 * <pre>{@code
 * try (RedisReplication redis = RedisReplication.start(1)) {
 *     redis.replicas().get(0).pause();
 *     ... WAIT on the master counts no replica
 * }
 * }</pre>
 */
public final class RedisReplication implements AutoCloseable {

    private static final Duration SYNC_TIMEOUT = Duration.ofSeconds(30);

    private final List<RedisServer> servers = new ArrayList<>();

    private RedisReplication() {
    }

    /**
     * Starts all servers and returns when the replicas follow.
     *
     * @param configuration lines of {@code redis.conf}, for each of them
     */
    public static RedisReplication start(int replicas, String... configuration) {
        var all = new RedisReplication();
        try {
            var lines = new ArrayList<>(List.of(configuration));
            lines.add("repl-diskless-sync-delay 0");
            all.servers.add(RedisServer.start(lines.toArray(String[]::new)));
            RedisServer master = all.master();
            lines.add("replicaof " + master.host() + " " + master.port());
            for (int i = 0; i < replicas; i++) {
                all.servers.add(RedisServer.start(lines.toArray(String[]::new)));
            }
            all.awaitInSync();
            return all;
        } catch (RuntimeException | Error e) {
            all.close();
            throw e;
        }
    }

    /** The one that was started as the master. */
    public RedisServer master() {
        return servers.get(0);
    }

    /** Those that were started as replicas. */
    public List<RedisServer> replicas() {
        return List.copyOf(servers.subList(1, servers.size()));
    }

    /** Returns when {@code WAIT} on the master counts every replica. */
    public void awaitInSync() {
        try (TinyRedis redis = master().connect()) {
            Await.until("all replicas follow", SYNC_TIMEOUT, () -> {
                redis.command("PUBLISH", "testkit:sync", "");
                return redis.number("WAIT", "" + (servers.size() - 1), "100") == servers.size() - 1;
            });
        }
    }

    List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
