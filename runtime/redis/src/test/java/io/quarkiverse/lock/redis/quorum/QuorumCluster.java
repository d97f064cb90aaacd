package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Independent servers, and backends on them. */
final class QuorumCluster implements AutoCloseable {

    /** Where a server is, as its clients see it. */
    record Address(String host, int port) {
    }

    static final String MARKER = "lock:q1:life";

    private final List<RedisServer> servers = new ArrayList<>();

    QuorumCluster(int size) {
        for (int i = 0; i < size; i++) {
            servers.add(RedisServer.start());
        }
    }

    RedisServer server(int i) {
        return servers.get(i);
    }

    List<RedisServer> servers() {
        return servers;
    }

    List<Address> addresses() {
        return servers.stream().map(server -> new Address(server.host(), server.port())).toList();
    }

    /** As if all had sat out long ago. */
    QuorumCluster satOut(Duration longestLease) {
        servers.forEach(server -> satOut(server, longestLease));
        return this;
    }

    static void satOut(RedisServer server, Duration longestLease) {
        try (TinyRedis redis = server.connect()) {
            redis.command("SET", MARKER,
                    redis.info("run_id") + ":" + redis.info("master_replid") + " 0 " + longestLease.toMillis());
        }
    }

    static QuorumOptions options(Duration longestLease) {
        var standard = RedisLockOptions.STANDARD;
        return new QuorumOptions(standard.keyPrefix(), standard.operationTimeout(), standard.retention(), longestLease);
    }

    static QuorumLockBackend backend(List<Address> addresses, QuorumOptions options, String namespace, String owner) {
        var members = IntStream.range(0, addresses.size()).mapToObj(i -> {
            String url = "redis://" + addresses.get(i).host() + ":" + addresses.get(i).port();
            return new QuorumServers.Member("quarkus.redis.s" + i + ".",
                    vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(url)));
        }).toList();
        return new QuorumLockBackend(QuorumServers.of(options, members), namespace, owner);
    }

    /** Runs a script without a backend. */
    static String[] command(Script script, List<String> keys, String... args) {
        var words = new ArrayList<String>(List.of("EVAL", script.text(), "" + keys.size()));
        words.addAll(keys);
        words.addAll(List.of(args));
        return words.toArray(String[]::new);
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
