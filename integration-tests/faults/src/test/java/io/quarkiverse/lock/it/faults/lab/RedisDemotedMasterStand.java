package io.quarkiverse.lock.it.faults.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * Two servers that swap roles: the master becomes the replica and lives on, with all its connections. No data is lost, so
 * nothing is excused. New connections find the master behind an address that moves.
 */
final class RedisDemotedMasterStand implements Stand {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RedisReplication redis = RedisReplication.start(1);
    private final List<RedisServer> servers = List.of(redis.master(), redis.replicas().get(0));
    private final MovingEndpoint endpoint = MovingEndpoint.create();
    private int master;

    /** The backend of the JVMs. Its arguments: the file that names the master, and the links to both servers. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            var endpoint = new MovingEndpoint(Path.of(arguments.get(0)));
            return new RedisLockBackend(RedisConnections.to(RedisLockOptions.STANDARD, vertx -> Redis.createClient(vertx,
                    new RedisOptions().setConnectionString("redis://" + arguments.get(1 + endpoint.at())))), "lab", owner);
        }
    }

    @Override
    public String name() {
        return "redis-demoted-master";
    }

    private List<String> addresses() {
        return servers.stream().map(each -> each.host() + ":" + each.port()).toList();
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(addresses());
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class, arguments(List.of(link.addresses().split(","))));
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", arguments(addresses()));
    }

    private List<String> arguments(List<String> addresses) {
        return List.of(endpoint.file().toString(), addresses.get(0), addresses.get(1));
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                LabDeed.harmful("FAILOVER: master and replica change places", 5,
                        (site, node, length, lock) -> changePlaces((from, to) -> from.command("FAILOVER"))),
                LabDeed.harmful("REPLICAOF: an operator lets them change places", 5,
                        (site, node, length, lock) -> changePlaces(this::byHand)),
                LabDeed.harmless("SCRIPT FLUSH", 2, (site, node, length, lock) -> {
                    try (TinyRedis there = servers.get(master).connect()) {
                        there.command("SCRIPT", "FLUSH");
                    }
                }));
    }

    @FunctionalInterface
    private interface Change {
        void between(TinyRedis from, TinyRedis to);
    }

    private void changePlaces(Change change) {
        RedisServer former = servers.get(master);
        RedisServer next = servers.get(1 - master);
        try (TinyRedis from = former.connect(); TinyRedis to = next.connect()) {
            change.between(from, to);
            Await.until("the former master follows the next", PATIENCE, () -> "master".equals(to.info("role"))
                    && "slave".equals(from.info("role")) && "up".equals(from.info("master_link_status")));
        }
        master = 1 - master;
        endpoint.moveTo(master);
    }

    /** As FAILOVER does it: no more writes once the replica has everything. */
    private void byHand(TinyRedis from, TinyRedis to) {
        from.command("CLIENT", "PAUSE", "10000", "WRITE");
        Await.until("the replica has everything", PATIENCE,
                () -> String.valueOf(from.info("master_repl_offset")).equals(to.info("slave_repl_offset")));
        to.command("REPLICAOF", "NO", "ONE");
        RedisServer next = servers.get(1 - master);
        from.command("REPLICAOF", next.host(), Integer.toString(next.port()));
        from.command("CLIENT", "UNPAUSE");
    }

    /** A JVM that has reconnected may have asked in vain a few times before, ever less often. */
    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest(), Duration.ofSeconds(5));
    }

    @Override
    public void close() {
        redis.close();
        endpoint.close();
    }
}
