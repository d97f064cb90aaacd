package io.quarkiverse.lock.benchmarks;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Three independent Redis servers that have already sat out. */
final class QuorumProcess implements Server {

    private static final String SEPARATOR = ",";
    private static final long LONGEST_LEASE = 30_000;

    private final List<RedisServer> servers = Stream.generate(() -> RedisServer.start()).limit(3).toList();

    QuorumProcess() {
        for (RedisServer each : servers) {
            try (TinyRedis redis = each.connect()) {
                redis.command("SET", "lock:q1:life",
                        redis.info("run_id") + ":" + redis.info("master_replid") + " 0 " + LONGEST_LEASE);
            }
        }
    }

    static boolean is(String url) {
        return url.contains(SEPARATOR);
    }

    static List<String> urls(String url) {
        return List.of(url.split(SEPARATOR));
    }

    @Override
    public String url() {
        return servers.stream().map(RedisServer::url).collect(Collectors.joining(SEPARATOR));
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
