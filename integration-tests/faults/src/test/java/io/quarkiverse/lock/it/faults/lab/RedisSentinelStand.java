package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.redis.topology.Sentinels;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/**
 * A master, two replicas and three sentinels, without persistence. Clients find the master by themselves, so there is no proxy
 * between them.
 */
final class RedisSentinelStand implements Stand {

    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;

    private final String name;
    private final int acks;
    private final boolean planned;
    private final RedisSentinel redis = RedisSentinel.start(REPLICAS, SENTINELS);
    private RedisServer former = redis.master();

    /**
     * @param acks how many replicas must have a grant; with one of them no fail-over may lose any
     * @param planned whether the servers see only fail-overs that somebody requests from the sentinels, none of which may lose
     *        anything
     */
    RedisSentinelStand(String name, int acks, boolean planned) {
        this.name = name;
        this.acks = acks;
        this.planned = planned;
    }

    /** The backend of the JVMs. Its arguments: the number of acknowledgements, and the URLs of sentinels. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            RedisLockOptions standard = RedisLockOptions.STANDARD;
            var options = new RedisLockOptions(standard.keyPrefix(), standard.operationTimeout(), standard.retention(), false,
                    standard.properties(), Integer.parseInt(arguments.get(0)));
            List<String> sentinels = arguments.subList(1, arguments.size());
            List<Function<Vertx, Redis>> news = new ArrayList<>();
            sentinels.forEach(each -> news
                    .add(vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(each))));
            return new RedisLockBackend(RedisConnections.toMaster(options, vertx -> Redis.createClient(vertx, new RedisOptions()
                    .setType(RedisClientType.SENTINEL).setMasterName(RedisSentinel.MASTER).setEndpoints(sentinels)),
                    new Sentinels(RedisSentinel.MASTER, news)), "lab", owner);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(List.of());
    }

    private List<String> arguments() {
        var arguments = new ArrayList<>(List.of(Integer.toString(acks)));
        arguments.addAll(redis.urls());
        return arguments;
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class, arguments());
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", arguments());
    }

    @Override
    public List<LabDeed> commonDeeds() {
        return CommonDeeds.OF_JVMS;
    }

    @Override
    public List<LabDeed> deeds() {
        return planned ? plannedDeeds() : deedsToTheMaster();
    }

    private List<LabDeed> plannedDeeds() {
        return List.of(
                LabDeed.harmful("SENTINEL FAILOVER, while the former master lives on", 4, (site, node, length, lock) -> {
                    ready();
                    redis.failOver();
                    redis.awaitPromotion(former);
                }),
                LabDeed.harmless("SCRIPT FLUSH", 2, (site, node, length, lock) -> unlessDown("SCRIPT", "FLUSH")));
    }

    private List<LabDeed> deedsToTheMaster() {
        return List.of(
                LabDeed.harmful("SIGSTOP of the master", 1, (site, node, length, lock) -> {
                    former = redis.master();
                    former.pause();
                    // Too short for the sentinels to choose another one
                    site.last(length / 2);
                }).healedBy((site, node, length, lock) -> former.resume()),
                LabDeed.harmful("kill -9 of the master", 2, (site, node, length, lock) -> {
                    ready();
                    // What the replicas have not received is lost with it
                    maybeLost(site, () -> failOver());
                }).healedBy((site, node, length, lock) -> former.restart()),
                LabDeed.harmful("kill -9 of the master, whose replicas know nothing of the last grants", 2,
                        (site, node, length, lock) -> {
                            ready();
                            maybeLost(site, () -> {
                                List<RedisServer> replicas = redis.replicas();
                                try {
                                    replicas.forEach(RedisServer::pause);
                                    // Otherwise they later read what has been sent to them meanwhile
                                    command(former, "CLIENT", "KILL", "TYPE", "replica");
                                    site.last(length);
                                    former.kill();
                                } finally {
                                    replicas.forEach(RedisServer::resume);
                                }
                                redis.awaitPromotion(former);
                            });
                        }).healedBy((site, node, length, lock) -> former.restart()),
                LabDeed.harmless("SCRIPT FLUSH", 2, (site, node, length, lock) -> unlessDown("SCRIPT", "FLUSH")));
    }

    private void ready() {
        redis.awaitReady();
        former = redis.master();
    }

    private void failOver() {
        former.kill();
        redis.awaitPromotion(former);
    }

    /** With acknowledgements no grant that anybody received is lost, and nothing is excused. */
    private void maybeLost(LabNemesis site, Runnable failOver) {
        if (acks == 0) {
            site.forceAny(failOver);
        } else {
            failOver.run();
        }
    }

    private static void command(RedisServer server, String... words) {
        try (TinyRedis there = server.connect()) {
            there.command(words);
        }
    }

    private void unlessDown(String... words) {
        try {
            command(redis.master(), words);
        } catch (java.io.UncheckedIOException e) {
            // Then it has nothing to forget
        }
    }

    /** Clients ask the sentinels repeatedly, ever less often. */
    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest(), Duration.ofSeconds(5));
    }

    @Override
    public void close() {
        redis.close();
    }
}
