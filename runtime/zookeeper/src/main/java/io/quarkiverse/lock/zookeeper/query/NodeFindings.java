package io.quarkiverse.lock.zookeeper.query;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * What the nodes of a name say about it, for people. The node of a holder in another JVM does not say since when it has held
 * the lock: the age of the node is reported instead, which includes the wait and is the difference of two clocks. Nor does it
 * say how long the lease lasts, which was changed or renewed without a word to the servers.
 */
final class NodeFindings {

    /** How many waiters' data are read: there may be very many. */
    static final int MOST_WAITERS = 100;

    private final String name;
    private final String container;
    private final NodeOrder order;
    private final HeldGrants held;
    private final Timers timers;
    private final List<LockInfo.Holder> holders = new ArrayList<>();
    private final List<LockInfo.Waiter> waiting = new ArrayList<>();

    NodeFindings(String name, String container, NodeOrder order, HeldGrants held, Timers timers) {
        this.name = name;
        this.container = container;
        this.order = order;
        this.held = held;
        this.timers = timers;
    }

    void holder(String node, byte[] content, Stat stat) {
        NodeData data = NodeData.of(content);
        long token = Grant.firstToken(stat.getCzxid());
        LockMode mode = order.shares(node) || data.shared() ? LockMode.SHARED : LockMode.EXCLUSIVE;
        int limit = order.limit(node);
        ZooKeeperGrant here = held.at(container + '/' + node);
        if (here == null) {
            holders.add(new LockInfo.Holder(data.owner(), token, mode, limit, age(stat), Duration.ZERO));
        } else {
            long now = timers.nanoTime();
            holders.add(new LockInfo.Holder(data.owner(), token, mode, limit, Duration.ofNanos(now - here.grantedAt()),
                    Duration.ofNanos(Math.max(0, here.endsAt() - now))));
        }
    }

    void waiter(String node, byte[] content, Stat stat) {
        waiting.add(new LockInfo.Waiter(NodeData.of(content).owner(),
                order.shares(node) ? LockMode.SHARED : LockMode.EXCLUSIVE, order.limit(node), age(stat)));
    }

    private Duration age(Stat stat) {
        return Duration.ofMillis(Math.max(0, timers.wallMillis() - stat.getCtime()));
    }

    boolean held() {
        return !holders.isEmpty();
    }

    LockInfo info(int waiters) {
        return new LockInfo(name, holders, waiters, waiting);
    }
}
