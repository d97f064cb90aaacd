package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import io.quarkiverse.lock.testkit.server.RedisServer;

/** Many JVMs read under one name: the server's cost of one more that comes and goes. */
final class ReaderCurve implements Curve {

    private static final String MODE = "S";
    private static final String LEASE = "600000";

    @Override
    public String name() {
        return "readers";
    }

    @Override
    public String title() {
        return "One more reader of a name, on Redis";
    }

    @Override
    public String across() {
        return "JVMs that read";
    }

    @Override
    public String up() {
        return "µs of the server per acquire and release";
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, Library.REDISSON.label());
    }

    @Override
    public List<Integer> sizes() {
        return List.of(1, 10, 100, 1_000);
    }

    @Override
    public double measure(String side, int size, long nanos) {
        try (var server = new RedisProcess()) {
            return side.equals(Bar.OURS) ? ours(server.redis, server.url(), size, nanos)
                    : redisson(server.redis, server.url(), size, nanos);
        }
    }

    /** A JVM has one grant for all of its readers, so the claims of many JVMs are sent over one connection. */
    private static double ours(RedisServer server, String url, int size, long nanos) {
        try (var scripts = new RawScripts(url)) {
            List<String> key = RawScripts.key("read");
            for (int i = 0; i < size; i++) {
                scripts.connection.ask(scripts.acquire(key, scripts.claim(), LEASE, "", MODE));
            }
            return perCycle(server, nanos, () -> {
                String claim = scripts.claim();
                scripts.connection.ask(scripts.acquire(key, claim, LEASE, "", MODE));
                scripts.connection.ask(scripts.release(key, claim));
            });
        }
    }

    /** To Redisson each reader is a thread, and threads are only numbers. */
    private static double redisson(RedisServer server, String url, int size, long nanos) {
        var config = new org.redisson.config.Config();
        config.useSingleServer().setAddress(url);
        RedissonClient client = Redisson.create(config);
        try {
            RLock lock = client.getReadWriteLock("read").readLock();
            List<Long> readers = new ArrayList<>();
            for (long reader = 1; reader <= size; reader++) {
                readers.add(reader);
                lock.lockAsync(10, TimeUnit.MINUTES, reader).toCompletableFuture().join();
            }
            double cost = perCycle(server, nanos, () -> {
                lock.lockAsync(10, TimeUnit.MINUTES, 0).toCompletableFuture().join();
                lock.unlockAsync(0).toCompletableFuture().join();
            });
            readers.forEach(reader -> lock.unlockAsync(reader).toCompletableFuture().join());
            return cost;
        } finally {
            client.shutdown();
        }
    }

    static double perCycle(RedisServer server, long nanos, Runnable cycle) {
        for (int i = 0; i < 200; i++) {
            cycle.run(); // the first cycles compile scripts
        }
        try (var time = new ServerTime(server)) {
            int cycles = 0;
            for (long end = System.nanoTime() + nanos; System.nanoTime() < end; cycles++) {
                cycle.run();
            }
            return time.micros() / cycles;
        }
    }
}
