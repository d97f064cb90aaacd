package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.quarkiverse.lock.redis.quorum.QuorumCluster.Address;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.Jvm;
import io.quarkiverse.lock.testkit.contract.Link;
import io.quarkiverse.lock.testkit.contract.ProxiedLink;
import io.quarkiverse.lock.testkit.contract.WaitingClaims;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/**
 * A separate namespace on servers that several tests share, with a proxy in front of each for clients that ask for one.
 */
final class QuorumEnvironment implements ContractEnvironment {

    /** No lease of the contract is longer. */
    static final Duration LONGEST = Duration.ofHours(24);

    private final QuorumCluster cluster;
    private final String namespace = "contract-" + UUID.randomUUID();
    private final WaitingClaims waiting = new WaitingClaims();
    private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();

    QuorumEnvironment(QuorumCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public String name() {
        return "redis-quorum";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.complementOf(
                EnumSet.of(Ability.VIRTUAL_THREADS, Ability.RESTART_STORE, Ability.CHILD_JVMS, Ability.QUEUE));
    }

    @Override
    public Set<Feature> features() {
        return EnumSet.of(Feature.ASYNC, Feature.LEASE, Feature.HOLD_AT_LEAST, Feature.AFTER_LOSS_DELAY,
                Feature.REQUEST_RELEASE, Feature.LIST);
    }

    @Override
    public LockBackend backend(String owner) {
        return backend(cluster.addresses(), owner);
    }

    private LockBackend backend(List<Address> at, String owner) {
        return waiting.in(QuorumCluster.backend(at, QuorumCluster.options(LONGEST), namespace, owner));
    }

    @Override
    public Link.Linked linked(String owner) {
        List<FaultProxy> mine = cluster.servers().stream().map(each -> FaultProxy.to(each.host(), each.port())).toList();
        proxies.addAll(mine);
        return new Link.Linked(backend(mine.stream().map(each -> new Address(each.host(), each.port())).toList(), owner),
                new AllLinks(mine.stream().map(ProxiedLink::new).toList()));
    }

    /** The same happens on the way to each of the servers. */
    private record AllLinks(List<ProxiedLink> links) implements Link {

        @Override
        public void cut() {
            links.forEach(Link::cut);
        }

        @Override
        public void heal() {
            links.forEach(Link::heal);
        }

        @Override
        public void loseReplyTo(String name) {
            links.forEach(each -> each.loseReplyTo(name));
        }

        @Override
        public void delayRequests(Duration delay) {
            links.forEach(each -> each.delayRequests(delay));
        }

        @Override
        public void reset() {
            links.forEach(Link::reset);
        }
    }

    /** Claims that have been refused, since a server notes a claim before the others have answered it. */
    @Override
    public int waiters(Jvm at, String name) {
        return waiting.of(name);
    }

    @Override
    public void deleteGrant(String name) {
        String key = "{" + namespace + ":" + name + "}";
        for (RedisServer server : cluster.servers()) {
            try (TinyRedis redis = server.connect()) { // a grant does not wait for the slowest server
                Await.until("all servers have it", Duration.ofSeconds(20), () -> !redis.keys("*" + key).isEmpty());
            }
        }
        delete(key);
    }

    @Override
    public void loseAllData() {
        delete(namespace); // not FLUSHALL: the rest belongs to other tests
    }

    private void delete(String part) {
        for (RedisServer server : cluster.servers()) {
            try (TinyRedis redis = server.connect()) {
                redis.keys("*" + part + "*").forEach(key -> redis.command("DEL", key));
            }
        }
    }

    @Override
    public void pauseStore() {
        cluster.servers().forEach(RedisServer::pause);
    }

    @Override
    public void resumeStore() {
        cluster.servers().forEach(RedisServer::resume);
    }

    @Override
    public List<String> leftovers() {
        List<String> left = new ArrayList<>();
        for (RedisServer server : cluster.servers()) {
            try (TinyRedis redis = server.connect()) {
                long now = Long.parseLong(redis.list("TIME").get(0)) * 1000;
                for (String key : redis.keys("*" + namespace + "*")) {
                    switch (redis.text("TYPE", key)) {
                        case "hash" -> {
                            Map<String, String> hash = hash(redis.list("HGETALL", key));
                            if (Long.parseLong(hash.getOrDefault("e", "0")) > now) {
                                left.add(key + " " + hash);
                            }
                        }
                        case "zset" -> left.add(key + " " + redis.list("ZRANGE", key, "0", "-1"));
                        default -> {
                        }
                    }
                }
            }
        }
        return left;
    }

    private static Map<String, String> hash(List<String> fields) {
        var hash = new TreeMap<String, String>();
        for (int i = 0; i < fields.size(); i += 2) {
            hash.put(fields.get(i), fields.get(i + 1));
        }
        return hash;
    }

    @Override
    public boolean checksWhenConnected() {
        return true;
    }

    @Override
    public void close() {
        proxies.forEach(FaultProxy::close);
        cluster.servers().stream().filter(RedisServer::isRunning).forEach(RedisServer::resume);
    }
}
