package io.quarkiverse.lock.testkit.proxy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/**
 * Proxies between the nodes of a {@link RedisCluster}: in front of what its replica reads from each node, and in front of what
 * the others tell it. So a replica can take over without its master noticing, and without the master's last writes.
 *
 * <pre>{@code
 * try (var between = new ClusterProxies(); var cluster = RedisCluster.startWithReplicas(3, between::before, QUIET)) {
 *     between.cutOffReplica(master);
 *     ... what is written now is lost
 *     between.takeOver(cluster, master);
 *     ... there are two
 *     between.heal(cluster, master);
 * }
 * }</pre>
 */
public final class ClusterProxies implements AutoCloseable {

    /** Configuration with which no node considers a silent node dead. */
    public static final String QUIET = "cluster-node-timeout 60000";

    /** Where a message on the bus names its sender. */
    private static final int SENDER = 40;

    private record Ways(FaultProxy stream, FaultProxy bus) {

        /** Open connections have waited too long, and are replaced. */
        void heal() {
            for (FaultProxy each : List.of(stream, bus)) {
                each.cut();
                each.pass();
            }
        }
    }

    private final Map<Integer, Ways> ways = new ConcurrentHashMap<>();

    /** Creates proxies for a node, and returns their ports. */
    public RedisCluster.Ports before(RedisCluster.Ports node) {
        var made = new Ways(FaultProxy.to(RedisServer.HOST, node.clients()), FaultProxy.to(RedisServer.HOST, node.bus()));
        ways.put(node.clients(), made);
        return new RedisCluster.Ports(made.stream.port(), made.bus.port());
    }

    /** From now on the replica of this master receives nothing, and neither of them notices. */
    public void cutOffReplica(RedisServer master) {
        of(master).stream.blackhole();
    }

    /** The replica of this master takes over, and the master is not informed. */
    public void takeOver(RedisCluster cluster, RedisServer master) {
        RedisServer next = cluster.partner(master);
        // Nor does its successor answer it
        of(master).bus.blackhole();
        of(next).bus.blackhole();
        cluster.takeOver(next);
    }

    /**
     * No other node reaches this master any more, nor it any of them, while clients and its replica do: so a majority of the
     * others lets the replica take over, and this one learns nothing of it.
     */
    public void isolate(RedisServer master) {
        String id;
        try (TinyRedis redis = master.connect()) {
            id = String.valueOf(redis.text("CLUSTER", "MYID"));
        }
        of(master).bus.down();
        for (Ways each : ways.values()) {
            each.bus.refuse();
            each.bus.connections().stream().filter(link -> link.sent().startsWith(id, SENDER)).forEach(Connection::reset);
        }
    }

    /** Returns when the former master, which may have been killed meanwhile, is a replica of its successor. */
    public void heal(RedisCluster cluster, RedisServer former) {
        ways.values().forEach(each -> each.bus.accept());
        of(former).heal();
        of(cluster.partner(former)).heal();
        if (!former.isRunning()) {
            former.restart();
        }
        cluster.awaitReplica(former);
        cluster.awaitAgreement();
    }

    private Ways of(RedisServer node) {
        return ways.get(node.port());
    }

    @Override
    public void close() {
        for (Ways each : ways.values()) {
            each.stream.close();
            each.bus.close();
        }
    }
}
