package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.List;

import org.apache.curator.utils.PathUtils;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/**
 * How locks are kept in ZooKeeper.
 *
 * @param root the path below which each name has its node, absolute within the client's namespace, such as {@code /locks}
 * @param nodes how lock nodes are named
 * @param operationTimeout how long one operation, other than a wait, takes at the most
 * @param tickTime the servers' {@code tickTime}, which a client cannot ask for; too high a value only makes locks expire
 *        earlier
 * @param acl what everything below the root, and the root itself, is created with
 * @param afterLossDelay what of each lease is not the holder's, but keeps others away after it:
 *        {@code quarkus.lock.after-loss-delay}
 */
public record ZooKeeperLockOptions(String root, LockNodes nodes, Duration operationTimeout, Duration tickTime,
        List<ACL> acl, Duration afterLossDelay) {

    /** {@code /quarkus-lock}, read-write nodes, operations of 2 s, ticks of 2 s, open to everybody. */
    public static final ZooKeeperLockOptions STANDARD = new ZooKeeperLockOptions("/quarkus-lock", LockNodes.READ_WRITE,
            Duration.ofSeconds(2), Duration.ofSeconds(2), ZooDefs.Ids.OPEN_ACL_UNSAFE, Duration.ZERO);

    public ZooKeeperLockOptions {
        PathUtils.validatePath(root);
        if (root.equals("/")) {
            throw new IllegalArgumentException("quarkus.lock.zookeeper.root must be a path below /, such as /locks");
        }
        if (operationTimeout.isNegative() || operationTimeout.isZero()) {
            throw new IllegalArgumentException("quarkus.lock.zookeeper.operation-timeout must be positive");
        }
        if (tickTime.isNegative() || tickTime.isZero()) {
            throw new IllegalArgumentException("quarkus.lock.zookeeper.tick-time must be positive");
        }
        if (afterLossDelay.isNegative()) {
            throw new IllegalArgumentException("quarkus.lock.after-loss-delay must not be negative");
        }
        acl = List.copyOf(acl);
    }

    public ZooKeeperLockOptions withRoot(String root) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, acl, afterLossDelay);
    }

    public ZooKeeperLockOptions withNodes(LockNodes nodes) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, acl, afterLossDelay);
    }

    public ZooKeeperLockOptions withOperationTimeout(Duration operationTimeout) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, acl, afterLossDelay);
    }

    public ZooKeeperLockOptions withTickTime(Duration tickTime) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, acl, afterLossDelay);
    }

    public ZooKeeperLockOptions withAcl(List<ACL> acl) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, acl, afterLossDelay);
    }

    public ZooKeeperLockOptions withAfterLossDelay(Duration afterLossDelay) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, acl, afterLossDelay);
    }

    /**
     * For how long a holder is certain of its lock without a renewal, in a session of that timeout; zero or less where it never
     * is.
     */
    public Duration lease(Duration sessionTimeout) {
        return Duration.ofMillis(Session.leaseMillis((int) sessionTimeout.toMillis(), tickTime.toMillis()))
                .minus(afterLossDelay);
    }

    /** The root for a namespace: one level below {@code /}, encoded as names are. */
    public static String rootOf(String namespace) {
        return "/" + NodeNames.encode(namespace);
    }
}
