package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quarkiverse.lock.redis.quorum.QuorumLockBackend;
import io.quarkiverse.lock.redis.quorum.QuorumOptions;
import io.quarkiverse.lock.redis.quorum.QuorumServers;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.random.RandomLoad;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * Five independent Redis servers with {@code quarkus.lock.redis.quorum}, two of which are in trouble at a time. That is no
 * fault: the other three must suffice, so it excuses nothing, and whoever waits for ten seconds gets its lock.
 */
final class RedisQuorumStand implements Stand {

    private static final int SERVERS = 5;
    /** As long as the sitting out, except for a twentieth. */
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final String MARKER = "lock:q1:life";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Acquiring a lock takes two requests, and both must fit within half of a lease. */
    private static final Duration LATE = Duration.ofMillis(800);
    private static final Duration SLOW = Duration.ofMillis(300);
    /** A hold that would last from one trouble to the next, if it were not for the sitting out between them. */
    private static final Duration LONG = Duration.ofSeconds(3);

    /** What can be wrong with a server. */
    private enum Trouble {
        KILL("kill -9", 3),
        EMPTY("empty restart", 3),
        FLUSH("FLUSHALL", 2),
        STOP("SIGSTOP", 2),
        CUT("cut off from all JVMs", 2),
        CUT_FROM_ONE("cut off from one JVM", 1),
        SLOW("slow for all JVMs", 1),
        RESET("loss of all connections", 1);

        private final String text;
        private final int times;

        Trouble(String text, int times) {
            this.text = text;
            this.times = times;
        }
    }

    private final List<RedisServer> servers = IntStream.range(0, SERVERS).mapToObj(i -> RedisServer.start()).toList();

    RedisQuorumStand() {
        // As if all had sat out long ago: the first lock must not have to wait
        for (RedisServer server : servers) {
            try (TinyRedis redis = server.connect()) {
                redis.command("SET", MARKER,
                        redis.info("run_id") + ":" + redis.info("master_replid") + " 0 " + LEASE.toMillis());
            }
        }
    }

    /** The backend of the JVMs. Its arguments are the addresses of the servers. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            RedisLockOptions standard = RedisLockOptions.STANDARD;
            var options = new QuorumOptions(standard.keyPrefix(), standard.operationTimeout(), standard.retention(), LEASE);
            return new QuorumLockBackend(QuorumServers.of(options, arguments.stream().map(Backend::member).toList()), "lab",
                    owner);
        }

        private static QuorumServers.Member member(String address) {
            return new QuorumServers.Member("quarkus.redis." + address + ".",
                    vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://" + address)));
        }
    }

    @Override
    public String name() {
        return "redis-quorum";
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
        return new ChildBackend.Spec(Backend.class, List.of(link.addresses().split(",")));
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", addresses());
    }

    @Override
    public RandomLoad load() {
        return new RandomLoad(NAMES, THREADS, LEASE, Duration.ZERO, 0);
    }

    @Override
    public Optional<Duration> enough() {
        return Optional.of(Duration.ofSeconds(10));
    }

    @Override
    public List<LabDeed> commonDeeds() {
        return CommonDeeds.withReplies(LATE);
    }

    @Override
    public List<LabDeed> deeds() {
        return Stream.concat(Arrays.stream(Trouble.values()).map(this::withAnother),
                Stream.of(LabDeed.harmless("SCRIPT FLUSH", 1,
                        (site, node, length, lock) -> servers.forEach(each -> command(each, "SCRIPT", "FLUSH")))))
                .toList();
    }

    /** Which two servers, and what is wrong with the second. Derived from the deed's random draw, so that the seed decides. */
    private record Two(int first, int second, Trouble other, boolean forces) {

        static Two of(long length) {
            int number = (int) (length / LabNemesis.MILLISECOND);
            int first = number % SERVERS;
            int rest = number / SERVERS;
            Trouble[] all = Trouble.values();
            return new Two(first, (first + 1 + rest % (SERVERS - 1)) % SERVERS, all[rest / (SERVERS - 1) % all.length],
                    number % 3 == 0);
        }
    }

    /** It ends when both have sat out, so that never more than two servers are missing. */
    private LabDeed withAnother(Trouble trouble) {
        return LabDeed.harmless("two servers, one of them: " + trouble.text, trouble.times, (site, node, length, lock) -> {
            Two two = Two.of(length);
            site.say("servers " + two);
            CommonDeeds.linger(node, LONG);
            begin(trouble, two.first, site, node);
            site.last(length / 2);
            begin(two.other, two.second, site, node);
            site.last(length / 2);
            CommonDeeds.linger(node, Duration.ZERO);
            if (two.forces) {
                site.force(lock);
            }
            site.last(length);
        }).healedBy((site, node, length, lock) -> {
            CommonDeeds.linger(node, Duration.ZERO);
            Two two = Two.of(length);
            mend(two.first, site);
            mend(two.second, site);
            servers.forEach(RedisQuorumStand::awaitSatOut);
        });
    }

    private void begin(Trouble trouble, int which, LabNemesis site, LabNode node) {
        RedisServer server = servers.get(which);
        switch (trouble) {
            case KILL -> server.kill();
            case EMPTY -> server.restart();
            case FLUSH -> command(server, "FLUSHALL");
            case STOP -> server.pause();
            case CUT -> ways(which, site, FaultProxy::blackhole);
            case CUT_FROM_ONE -> node.link().proxies().get(which).blackhole();
            case SLOW -> ways(which, site, proxy -> {
                proxy.delayRequests(SLOW);
                proxy.delayReplies(SLOW);
            });
            case RESET -> ways(which, site, FaultProxy::cut);
        }
    }

    private void mend(int which, LabNemesis site) {
        RedisServer server = servers.get(which);
        if (server.isRunning()) {
            server.resume();
        } else {
            server.restart();
        }
        ways(which, site, FaultProxy::pass);
    }

    private static void ways(int which, LabNemesis site, Consumer<FaultProxy> deed) {
        site.nodes().forEach(each -> deed.accept(each.link().proxies().get(which)));
    }

    private static void command(RedisServer server, String... words) {
        try (TinyRedis redis = server.connect()) {
            redis.command(words);
        }
    }

    private static void awaitSatOut(RedisServer server) {
        Await.until("the server has sat out", PATIENCE, () -> {
            try (TinyRedis redis = server.connect()) {
                String marker = redis.text("GET", MARKER);
                return marker != null && marker.startsWith(redis.info("run_id") + ":")
                        && Long.parseLong(marker.split(" ")[1]) < Long.parseLong(redis.list("TIME").get(0)) * 1000;
            }
        });
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
