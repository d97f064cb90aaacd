package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.proxy.ClusterProxies;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/**
 * A Redis Cluster of three masters and a replica of each, without persistence. Repeatedly a replica takes over without the last
 * writes of its master, which continues for a while to grant to those who have not heard of the promotion.
 */
final class RedisClusterPromotionStand implements Stand {

    private static final int MASTERS = 3;

    private final String name;
    private final int acks;
    private final boolean excused;
    private final ClusterProxies between = new ClusterProxies();
    private final RedisCluster cluster = RedisCluster.startWithReplicas(MASTERS, between::before,
            "cluster-require-full-coverage no", ClusterProxies.QUIET);

    /**
     * @param acks how many replicas must have a grant; with one of them no promotion may lose any
     * @param excused whether a second holder is excused from the moment the replica is cut off until the former master is a
     *        replica; falling tokens never are
     */
    RedisClusterPromotionStand(String name, int acks, boolean excused) {
        this.name = name;
        this.acks = acks;
        this.excused = excused;
    }

    @Override
    public String name() {
        return name;
    }

    /** For clients that belong to no node. */
    private List<String> direct() {
        return cluster.nodes().stream().map(each -> each.host() + ":" + each.port()).toList();
    }

    private List<String> addresses() {
        return cluster.nodes().stream().map(cluster::address).toList();
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(direct());
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return RedisClusterBackend.spec(acks, addresses(), List.of(link.addresses().split(",")));
    }

    @Override
    public LockBackend operator() {
        return RedisClusterBackend.of(RedisClusterBackend.spec(acks, addresses(), direct()));
    }

    /** Without force: a release forced at the former master may be among the lost writes. */
    @Override
    public List<LabDeed> commonDeeds() {
        return CommonDeeds.withoutForce(CommonDeeds.ALL);
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                LabDeed.harmful("SIGSTOP of a master", 1, (site, node, length, lock) -> {
                    owner(lock).pause();
                    site.last(length);
                }).healedBy((site, node, length, lock) -> cluster.nodes().forEach(RedisServer::resume)),
                LabDeed.harmful("lossy promotion: the former master lives on, and then follows", 5,
                        (site, node, length, lock) -> maybeLost(site, () -> promote(site, node, length, lock, former -> {
                        }))),
                LabDeed.harmful("lossy promotion: the former master lives on, dies, and then follows", 3,
                        (site, node, length, lock) -> maybeLost(site,
                                () -> promote(site, node, length, lock, RedisServer::kill))),
                LabDeed.harmless("SCRIPT FLUSH", 2, (site, node, length, lock) -> {
                    try (TinyRedis there = cluster.nodes().get(0).connect()) {
                        there.command("SCRIPT", "FLUSH");
                    } catch (java.io.UncheckedIOException e) {
                        // Then it has nothing to forget
                    }
                }));
    }

    private void maybeLost(LabNemesis site, Runnable promotion) {
        if (excused) {
            site.forceAny(promotion);
        } else {
            promotion.run();
        }
    }

    private void promote(LabNemesis site, LabNode node, long length, String lock, Consumer<RedisServer> endOfFormer) {
        RedisServer former = owner(lock);
        between.cutOffReplica(former);
        site.last(length);
        between.takeOver(cluster, former);
        List<FaultProxy> lost = toFormer(site, node, length, former);
        lost.forEach(FaultProxy::down);
        site.last(4 * length);
        endOfFormer.accept(former);
        between.heal(cluster, former);
        lost.forEach(FaultProxy::accept);
    }

    /** One JVM can no longer reach it, so it finds the successor, or is the only one that still can reach it. */
    private List<FaultProxy> toFormer(LabNemesis site, LabNode node, long length, RedisServer former) {
        boolean alone = length / LabNemesis.MILLISECOND % 2 == 0;
        int place = cluster.nodes().indexOf(former);
        return site.nodes().stream().filter(each -> (each == node) != alone)
                .map(each -> each.link().proxies().get(place)).toList();
    }

    private RedisServer owner(String lock) {
        return cluster.owner(cluster.slot(RedisClusterBackend.key(lock)));
    }

    /** A JVM that has reconnected may have asked in vain a few times before, ever less often. */
    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest().plus(RedisClusterStand.DEAD_WAITER),
                Duration.ofSeconds(5).plus(RedisClusterStand.DEAD_WAITER));
    }

    @Override
    public Duration latestTakeover() {
        return Stand.super.latestTakeover().plus(RedisClusterStand.DEAD_WAITER);
    }

    @Override
    public void close() {
        cluster.close();
        between.close();
    }
}
