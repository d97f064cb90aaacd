package io.quarkiverse.lock.benchmarks;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The processor time that a Redis has used, for commands, messages and networking alike. */
final class ServerTime implements AutoCloseable {

    private final TinyRedis redis;
    private double before;
    private long since;

    ServerTime(RedisServer server) {
        redis = server.connect();
        start();
    }

    void start() {
        before = seconds();
        since = System.nanoTime();
    }

    /** Since the start. */
    double micros() {
        return (seconds() - before) * 1e6;
    }

    double microsPerSecond() {
        return micros() / ((System.nanoTime() - since) / 1e9);
    }

    private double seconds() {
        return Double.parseDouble(String.valueOf(redis.info("used_cpu_sys")))
                + Double.parseDouble(String.valueOf(redis.info("used_cpu_user")));
    }

    @Override
    public void close() {
        redis.close();
    }
}
