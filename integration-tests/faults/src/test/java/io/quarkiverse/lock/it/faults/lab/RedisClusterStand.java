package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** A Redis Cluster of three nodes whose slots move; each node keeps its data when it is killed. */
final class RedisClusterStand implements Stand {

    private static final int NODES = 3;
    /** How long a lock that was pushed to a JVM which had just died stays with it. */
    static final Duration DEAD_WAITER = Duration.ofSeconds(3);

    private final RedisCluster cluster = RedisCluster.start(NODES, "appendonly yes", "appendfsync no",
            "cluster-require-full-coverage no");
    /** Slots move between running nodes. */
    private final ReentrantLock all = new ReentrantLock();

    @Override
    public String name() {
        return "redis-cluster";
    }

    private List<String> addresses() {
        return cluster.nodes().stream().map(each -> each.host() + ":" + each.port()).toList();
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(addresses());
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return RedisClusterBackend.spec(0, addresses(), List.of(link.addresses().split(",")));
    }

    @Override
    public LockBackend operator() {
        return RedisClusterBackend.of(RedisClusterBackend.spec(0, addresses(), addresses()));
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                LabDeed.harmful("SIGSTOP of a node", 1, (site, node, length, lock) -> {
                    all.lock();
                    owner(lock).pause();
                    site.last(length);
                }).healedBy((site, node, length, lock) -> {
                    for (RedisServer each : cluster.nodes()) {
                        each.resume();
                    }
                    all.unlock();
                }),
                LabDeed.harmful("kill -9 and restart of a node", 2, (site, node, length, lock) -> {
                    all.lock();
                    owner(lock).kill();
                    site.last(length);
                }).healedBy((site, node, length, lock) -> {
                    for (RedisServer each : cluster.nodes()) {
                        if (!each.isRunning()) {
                            each.restart();
                        }
                    }
                    cluster.awaitAgreement();
                    all.unlock();
                }),
                LabDeed.harmless("move of a slot to another node", 4, (site, node, length, lock) -> {
                    all.lock();
                    try {
                        move(site, lock, length);
                    } finally {
                        all.unlock();
                    }
                }));
    }

    /** For a moment the keys are in transit: some are here and some there. */
    private void move(LabNemesis site, String lock, long length) {
        RedisServer from = owner(lock);
        List<RedisServer> nodes = cluster.nodes();
        RedisServer to = nodes.get((nodes.indexOf(from) + 1) % NODES);
        RedisCluster.Move move = cluster.move(slot(lock), to);
        site.last(length / 8);
        move.keys();
        site.last(length / 8);
        move.keys();
        move.finish();
    }

    private int slot(String lock) {
        return cluster.slot(RedisClusterBackend.key(lock));
    }

    private RedisServer owner(String lock) {
        return cluster.owner(slot(lock));
    }

    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest().plus(DEAD_WAITER), standard.recovery().plus(DEAD_WAITER));
    }

    @Override
    public Duration latestTakeover() {
        return Stand.super.latestTakeover().plus(DEAD_WAITER);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
