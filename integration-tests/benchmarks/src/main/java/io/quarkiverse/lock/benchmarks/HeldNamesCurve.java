package io.quarkiverse.lock.benchmarks;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Many names are held: the server's cost of locking one more. */
final class HeldNamesCurve implements Curve {

    private static final String BARE = "SET NX, compare and DEL";
    private static final String LEASE = "600000";
    private static final String RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end";

    @Override
    public String name() {
        return "names";
    }

    @Override
    public String title() {
        return "One more name, on Redis";
    }

    @Override
    public String across() {
        return "names that are held";
    }

    @Override
    public String up() {
        return "µs of the server per acquire and release";
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, Library.REDISSON.label(), BARE);
    }

    @Override
    public List<Integer> sizes() {
        return List.of(1, 100, 10_000, 100_000);
    }

    @Override
    public double measure(String side, int size, long nanos) {
        try (var server = new RedisProcess()) {
            if (side.equals(Bar.OURS)) {
                return ours(server.redis, server.url(), size, nanos);
            }
            return side.equals(BARE) ? bare(server.redis, size, nanos) : redisson(server.redis, server.url(), size, nanos);
        }
    }

    private static double ours(RedisServer server, String url, int size, long nanos) {
        try (var scripts = new RawScripts(url); var locks = new OurLocks(url)) {
            for (int i = 0; i < size; i++) {
                scripts.connection.ask(scripts.acquire(RawScripts.key("held-" + i), scripts.claim(), LEASE));
            }
            Mutex one = locks.mutex("one-more");
            return ReaderCurve.perCycle(server, nanos, () -> {
                one.lock();
                one.unlock();
            });
        }
    }

    private static double redisson(RedisServer server, String url, int size, long nanos) {
        var config = new Config();
        config.useSingleServer().setAddress(url);
        RedissonClient client = Redisson.create(config);
        try {
            for (int i = 0; i < size; i++) {
                client.getLock("held-" + i).lock(10, TimeUnit.MINUTES);
            }
            Mutex one = RedissonLocks.mutex(client.getLock("one-more"));
            return ReaderCurve.perCycle(server, nanos, () -> {
                one.lock();
                one.unlock();
            });
        } finally {
            client.shutdown();
        }
    }

    private static double bare(RedisServer server, int size, long nanos) {
        try (TinyRedis redis = server.connect()) {
            for (int i = 0; i < size; i++) {
                redis.command("SET", "held-" + i, "me", "NX", "PX", LEASE);
            }
            String sha = redis.text("SCRIPT", "LOAD", RELEASE);
            return ReaderCurve.perCycle(server, nanos, () -> {
                String owner = UUID.randomUUID().toString();
                redis.command("SET", "one-more", owner, "NX", "PX", "30000");
                redis.command("EVALSHA", String.valueOf(sha), "1", "one-more", owner);
            });
        }
    }
}
