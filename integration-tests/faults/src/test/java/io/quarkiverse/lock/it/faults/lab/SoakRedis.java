package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** One Redis, whose records of names expire by themselves. */
final class SoakRedis implements SoakStore {

    /** By then Redis has deleted most of what has expired: it scans for that now and then. */
    private static final Duration EXPIRY = Duration.ofSeconds(3);
    /** Redis tolerates that some of it, up to a tenth of all, is still there. */
    private static final int SOME = 5;

    private final RedisServer server = RedisServer.start();
    private final Duration retention;

    SoakRedis(Duration retention) {
        this.retention = retention;
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public ChildBackend.Spec backend() {
        return new ChildBackend.Spec(RedisStand.Backend.class,
                List.of(server.url(), OPERATION.toString(), retention.toString()));
    }

    @Override
    public Duration memory() {
        return retention.plus(retention.dividedBy(SOME)).plus(SoakWork.ABANDONED).plus(EXPIRY);
    }

    @Override
    public Map<String, Long> leftovers() {
        try (TinyRedis redis = server.connect()) {
            return Map.of("keys", redis.number("DBSIZE"));
        }
    }

    @Override
    public Map<String, Long> steady() {
        return Map.of("connections", info("connected_clients"));
    }

    @Override
    public Map<String, Long> shown() {
        return Map.of("KiB", info("used_memory") >> 10);
    }

    private long info(String field) {
        try (TinyRedis redis = server.connect()) {
            return Long.parseLong(String.valueOf(redis.info(field)).trim());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
