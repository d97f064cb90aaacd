package io.quarkiverse.lock.it.faults.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * A master, its replica, and a replica of that. Repeatedly the replica is promoted without the last writes of its master, which
 * continues for a while to grant to those who have not heard of it, and becomes the last in the chain. With
 * {@code after-failover=grace} no second holder is excused. Or without grace, to see that there are some then.
 */
final class RedisPromotionStand implements Stand {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SERVERS = 3;
    private static final String MARKER = "lock:1:marker";

    /** A new master has a replica already, so that it can write, and could grant, at once. */
    private final List<RedisServer> servers = IntStream.range(0, SERVERS)
            .mapToObj(i -> RedisServer.start("min-replicas-to-write 1", "min-replicas-max-lag 2", "repl-diskless-sync-delay 0"))
            .toList();
    /** Everything that each of them sends its replica goes through one of these. */
    private final List<FaultProxy> streams = servers.stream().map(each -> FaultProxy.to(each.host(), each.port())).toList();
    private final MovingEndpoint endpoint = MovingEndpoint.create();
    private final boolean grace;
    private volatile int master;

    RedisPromotionStand(boolean grace) {
        this.grace = grace;
        follow(1, 0);
        follow(2, 1);
        awaitWritable();
    }

    /** The backend of the JVMs: with or without a grace period, the file that names the master, the links to all servers. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            var endpoint = new MovingEndpoint(Path.of(arguments.get(1)));
            return new RedisLockBackend(RedisConnections.to(RedisGraceStand.options(arguments.get(0)),
                    vertx -> Redis.createClient(vertx,
                            new RedisOptions().setConnectionString("redis://" + arguments.get(2 + endpoint.at())))),
                    "lab", owner);
        }
    }

    @Override
    public String name() {
        return "redis-" + Stand.level(grace) + "-promotion";
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
        var arguments = new ArrayList<>(List.of(Stand.level(grace), endpoint.file().toString()));
        arguments.addAll(addresses);
        return arguments;
    }

    /** Without force: a release forced at the former master may be among the lost writes. */
    @Override
    public List<LabDeed> commonDeeds() {
        return CommonDeeds.withoutForce(CommonDeeds.ALL);
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                LabDeed.harmful("lossy promotion: the former master lives on, and then follows", 4,
                        (site, node, length, lock) -> promote(site, node, length, former -> {
                        })),
                LabDeed.harmful("lossy promotion: the former master lives on, and then dies", 3,
                        (site, node, length, lock) -> promote(site, node, length, former -> {
                            servers.get(former).kill();
                            servers.get(former).restart();
                        })),
                LabDeed.harmless("SCRIPT FLUSH", 2, (site, node, length, lock) -> command(master, "SCRIPT", "FLUSH")));
    }

    private void promote(LabNemesis site, LabNode node, long length, IntConsumer endOfFormer) {
        int former = master;
        int next = after(former);
        int last = after(next);
        String before = incarnation(next);
        streams.get(former).blackhole(); // neither of them notices
        site.last(length);
        command(next, "REPLICAOF", "NO", "ONE");
        master = next;
        endpoint.moveTo(next);
        // One JVM does not learn of it, or is the only one that does
        boolean alone = length / LabNemesis.MILLISECOND % 2 == 0;
        site.nodes().stream().filter(each -> (each == node) != alone)
                .forEach(each -> each.link().proxies().get(former).cut());
        site.last(4 * length);
        endOfFormer.accept(former);
        streams.get(former).cut();
        streams.get(former).pass();
        follow(former, last);
        awaitWritable();
        if (grace) {
            Await.until("the grace is over", PATIENCE, () -> !before.equals(incarnation(next)) && graceIsOver(next));
        }
    }

    private static int after(int server) {
        return (server + 1) % SERVERS;
    }

    private void follow(int server, int master) {
        FaultProxy stream = streams.get(master);
        command(server, "REPLICAOF", stream.host(), Integer.toString(stream.port()));
        try (TinyRedis there = servers.get(server).connect()) {
            Await.until("it follows", PATIENCE, () -> "up".equals(there.info("master_link_status")));
        }
    }

    private void awaitWritable() {
        try (TinyRedis there = servers.get(master).connect()) {
            Await.until("the master counts a replica", PATIENCE, () -> "1".equals(there.info("min_slaves_good_slaves")));
        }
    }

    /** The incarnation in its marker. */
    private String incarnation(int server) {
        try (TinyRedis there = servers.get(server).connect()) {
            return String.valueOf(there.text("HGET", MARKER, "inc"));
        }
    }

    private boolean graceIsOver(int server) {
        try (TinyRedis there = servers.get(server).connect()) {
            long till = Long.parseLong(String.valueOf(there.text("HGET", MARKER, "till")));
            return till < Long.parseLong(there.list("TIME").get(0)) * 1000;
        }
    }

    private void command(int server, String... words) {
        try (TinyRedis there = servers.get(server).connect()) {
            there.command(words);
        }
    }

    /** A JVM that has reconnected may have asked in vain a few times before, ever less often. */
    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest(), Duration.ofSeconds(5));
    }

    @Override
    public void close() {
        streams.forEach(FaultProxy::close);
        servers.forEach(RedisServer::close);
        endpoint.close();
    }
}
