package io.quarkiverse.lock.zookeeper.options;

import java.time.Duration;
import java.util.List;

import org.apache.curator.utils.PathUtils;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.zookeeper.nodes.LockNodes;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;

/**
 * How locks are kept in ZooKeeper.
 *
 * @param root the path below which each name has its node, absolute within the client's namespace, such as {@code /locks}
 * @param nodes how lock nodes are named
 * @param operationTimeout the longest that one operation, other than a wait, takes
 * @param tickTime the servers' {@code tickTime}, which a client cannot ask for; too high a value only makes locks expire
 *        earlier
 * @param syncLimit the servers' {@code syncLimit}, in ticks, which a client cannot ask for either; 0 for a single server
 * @param acl the ACL of the root and of everything below it
 * @param afterLossDelay the last part of each lease, which is not the holder's but keeps others away:
 *        {@code quarkus.lock.after-loss-delay}
 * @param margin how much earlier than its lease a lock ends for its holder: {@code quarkus.lock.margin}; {@code null} for the
 *        default
 * @param session the session timeout that the client asks the servers for; {@code null} if unknown
 */
public record ZooKeeperLockOptions(String root, LockNodes nodes, Duration operationTimeout, Duration tickTime,
        int syncLimit, List<ACL> acl, Duration afterLossDelay, @Nullable Duration margin, @Nullable Duration session) {

    /**
     * {@code /quarkus-lock}, read-write nodes, operations of 2 s, ticks of 2 s, a sync limit of 5 ticks, open to everybody.
     */
    public static final ZooKeeperLockOptions STANDARD = new ZooKeeperLockOptions("/quarkus-lock", LockNodes.READ_WRITE,
            Duration.ofSeconds(2), Duration.ofSeconds(2), 5, ZooDefs.Ids.OPEN_ACL_UNSAFE, Duration.ZERO, null, null);

    /** In milliseconds. */
    private static final long MAX_MARGIN = 2000;

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
        if (syncLimit < 0) {
            throw new IllegalArgumentException("quarkus.lock.zookeeper.sync-limit must not be negative");
        }
        if (afterLossDelay.isNegative()) {
            throw new IllegalArgumentException("quarkus.lock.after-loss-delay must not be negative");
        }
        acl = List.copyOf(acl);
    }

    public ZooKeeperLockOptions withRoot(String root) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withNodes(LockNodes nodes) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withOperationTimeout(Duration operationTimeout) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withTickTime(Duration tickTime) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withSyncLimit(int syncLimit) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withAcl(List<ACL> acl) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withAfterLossDelay(Duration afterLossDelay) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withMargin(@Nullable Duration margin) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    public ZooKeeperLockOptions withSession(Duration session) {
        return new ZooKeeperLockOptions(root, nodes, operationTimeout, tickTime, syncLimit, acl, afterLossDelay, margin,
                session);
    }

    /** What decides on the session timeout: the configuration does not count for a client of the application's own. */
    public String sessionSetting() {
        return session == null ? "the session timeout of your client" : "quarkus.lock.zookeeper.session-timeout";
    }

    /** How long a lock is certain without a renewal, in a session with that timeout; zero or less if it never is. */
    public Duration lease(Duration sessionTimeout) {
        return Duration.ofMillis(sessionLeaseMillis((int) sessionTimeout.toMillis())).minus(afterLossDelay);
    }

    /**
     * How long the servers certainly keep the nodes of a session, counted from the sending of a request that the leader has
     * answered. A server reports the sessions it has heard of to the leader once every half tick. A third of the timeout is for
     * the client, which its server hears that often. After a longer pause it is less, see the guide's page on ZooKeeper.
     */
    public long sessionLeaseMillis(int timeoutMillis) {
        return timeoutMillis * 2L / 3 - tickTime.toMillis() / 2;
    }

    /**
     * The shortest session timeout that is safe. A leader that is cut off from the others notices this after the sync limit and
     * one more tick, and may confirm a lock until then, while the next leader counts down the session. A lease that begins so
     * late must end before the session. For its holder it ends earlier, by the margin: a tenth of the {@link #lease}, at most 2
     * s, or as configured, at most half of it.
     */
    public Duration shortestSession() {
        if (syncLimit == 0) {
            return Duration.ZERO;
        }
        long tick = tickTime.toMillis();
        long unnoticed = (syncLimit + 1) * tick;
        long delay = afterLossDelay.toMillis();
        Duration configured = margin;
        long withPart = configured == null ? unnoticed * 5 / 2 - (tick + 2 * delay) * 9 / 8
                : unnoticed * 3 / 2 - (tick + 2 * delay) * 3 / 8;
        long withAll = 3 * (unnoticed - tick / 2 - delay - (configured == null ? MAX_MARGIN : configured.toMillis()));
        return Duration.ofMillis(Math.max(withPart, withAll));
    }

    /** Whether everybody who has any permission on a node may write it: then so may its creator. */
    public boolean writable() {
        return acl.stream().allMatch(entry -> (entry.getPerms() & ZooDefs.Perms.WRITE) != 0);
    }

    /** The root for a namespace: one level below {@code /}, encoded as names are. */
    public static String rootOf(String namespace) {
        return "/" + NodePaths.encode(namespace);
    }
}
