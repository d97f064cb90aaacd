package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A Redis that keeps its data when it is killed, so that a restart excuses nobody; and a flush that loses the data. */
final class RedisStand implements Stand {

    private final RedisServer server = RedisServer.start("appendonly yes", "appendfsync no");

    /** The backend of the JVMs. Its arguments: a URL; optionally the timeout of an operation and the retention. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            return new RedisLockBackend(RedisConnections.to(options(arguments), vertx -> Redis.createClient(vertx,
                    new RedisOptions().setConnectionString(arguments.get(0)))), "lab", owner);
        }

        private static RedisLockOptions options(List<String> arguments) {
            RedisLockOptions standard = RedisLockOptions.STANDARD;
            return arguments.size() == 1 ? standard
                    : new RedisLockOptions(standard.keyPrefix(), Duration.parse(arguments.get(1)),
                            Duration.parse(arguments.get(2)), false, standard.properties());
        }
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(List.of(server.host() + ":" + server.port()));
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class, List.of("redis://" + link.host() + ":" + link.port()));
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", List.of(server.url()));
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                CommonDeeds.pauseOfServer(server::pause, server::resume),
                LabDeed.harmful("kill -9 and restart of the server", 1, (site, node, length, lock) -> {
                    server.kill();
                    site.last(length / 2);
                }).healedBy((site, node, length, lock) -> server.restart()),
                LabDeed.harmful("CLIENT KILL of all connections", 1,
                        (site, node, length, lock) -> command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")),
                LabDeed.harmful("FLUSHALL", 1, (site, node, length, lock) -> site.takeAll(() -> command("FLUSHALL"))),
                LabDeed.harmless("SCRIPT FLUSH", 2, (site, node, length, lock) -> unlessDown("SCRIPT", "FLUSH")),
                LabDeed.harmless("CLIENT KILL of the subscribers", 1,
                        (site, node, length, lock) -> unlessDown("CLIENT", "KILL", "TYPE", "pubsub")));
    }

    private void command(String... words) {
        try (TinyRedis redis = server.connect()) {
            redis.command(words);
        }
    }

    /** A deed that may coincide with another one's harm to the server. */
    private void unlessDown(String... words) {
        try {
            command(words);
        } catch (java.io.UncheckedIOException e) {
            // Then it has nothing to forget
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
