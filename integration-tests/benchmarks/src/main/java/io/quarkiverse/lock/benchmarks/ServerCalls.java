package io.quarkiverse.lock.benchmarks;

import java.util.List;

import org.HdrHistogram.Histogram;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** How long script calls take inside the server, according to its own log. */
final class ServerCalls implements AutoCloseable {

    private static final int DURATION = 2;
    private static final int COMMAND = 3;

    private final TinyRedis redis;

    ServerCalls(RedisServer server) {
        redis = server.connect();
        redis.command("CONFIG", "SET", "slowlog-max-len", "10000");
        redis.command("SLOWLOG", "RESET");
        redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
    }

    double medianNanos() {
        Histogram times = Tally.histogram();
        var entries = (List<?>) redis.command("SLOWLOG", "GET", "10000");
        if (entries == null) {
            throw new IllegalStateException("No slow log");
        }
        for (Object entry : entries) {
            var fields = (List<?>) entry;
            if (fields.get(COMMAND) instanceof List<?> words && String.valueOf(words.get(0)).equalsIgnoreCase("EVALSHA")) {
                times.recordValue(((Number) fields.get(DURATION)).longValue() * 1000);
            }
        }
        return times.getValueAtPercentile(50);
    }

    @Override
    public void close() {
        redis.command("CONFIG", "SET", "slowlog-log-slower-than", "-1");
        redis.close();
    }
}
