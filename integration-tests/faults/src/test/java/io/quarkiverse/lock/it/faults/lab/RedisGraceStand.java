package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * A Redis that repeatedly loses all its data, with {@code after-failover=grace}: no second holder is excused. Or without grace,
 * to see that there are some then.
 */
final class RedisGraceStand implements Stand {

    /** The longest lease plus a margin. */
    private static final Duration GRACE = LONGEST_LEASE.plusMillis(500);

    private final RedisServer server = RedisServer.start();
    private final boolean grace;

    RedisGraceStand(boolean grace) {
        this.grace = grace;
    }

    /** The backend of the JVMs: with or without a grace period, at a URL. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            return new RedisLockBackend(RedisConnections.to(options(arguments.get(0)),
                    vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(arguments.get(1)))), "lab",
                    owner);
        }
    }

    static RedisLockOptions options(String level) {
        return level.equals(Stand.level(true)) ? RedisLockOptions.STANDARD.withGrace(LONGEST_LEASE) : RedisLockOptions.STANDARD;
    }

    @Override
    public String name() {
        return "redis-" + Stand.level(grace);
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(List.of(server.host() + ":" + server.port()));
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class, List.of(Stand.level(grace), "redis://" + link.host() + ":" + link.port()));
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", List.of(Stand.level(grace), server.url()));
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                CommonDeeds.pauseOfServer(server::pause, server::resume),
                LabDeed.harmful("kill -9 and an empty restart of the server", 4, (site, node, length, lock) -> {
                    server.kill();
                    site.last(length / 2);
                    server.restart();
                    sitOut(site);
                }).healedBy((site, node, length, lock) -> {
                    if (!server.isRunning()) {
                        server.restart();
                    }
                }),
                LabDeed.harmful("FLUSHALL", 4, (site, node, length, lock) -> {
                    command("FLUSHALL");
                    sitOut(site);
                }),
                LabDeed.harmful("FLUSHALL in the grace of another", 3, (site, node, length, lock) -> {
                    command("FLUSHALL");
                    site.last(length);
                    command("FLUSHALL");
                    sitOut(site);
                }),
                LabDeed.harmless("SCRIPT FLUSH", 2, (site, node, length, lock) -> unlessDown("SCRIPT", "FLUSH")));
    }

    /** Nothing is granted meanwhile, which is no fault. */
    private static void sitOut(LabNemesis site) {
        site.last(TimeUnit.MILLISECONDS.toNanos(GRACE.toMillis()));
    }

    private void command(String... words) {
        try (TinyRedis redis = server.connect()) {
            redis.command(words);
        }
    }

    private void unlessDown(String... words) {
        try {
            command(words);
        } catch (java.io.UncheckedIOException e) {
            // Then it has nothing to forget
        }
    }

    /** The first script, which begins the grace period, may take a moment to come. */
    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest(), GRACE.plusSeconds(2));
    }

    @Override
    public void close() {
        server.close();
    }
}
