package io.quarkiverse.lock.zookeeper.session;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** Warns of a session timeout that a leader may outlive when it is cut off from the others: once, until it changes. */
final class ShortSessionWarning {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");

    private final ZooKeeperLockOptions options;
    /** In milliseconds. */
    private final AtomicInteger warnedOf = new AtomicInteger();

    ShortSessionWarning(ZooKeeperLockOptions options) {
        this.options = options;
    }

    void check(Session session) {
        Duration shortest = options.shortestSession();
        if (session.timeoutMillis() < shortest.toMillis()
                && warnedOf.getAndSet(session.timeoutMillis()) != session.timeoutMillis()) {
            LOG.warnf(
                    "The session timeout of %s that ZooKeeper grants is too short for quarkus.lock.zookeeper.sync-limit=%d and "
                            + "quarkus.lock.zookeeper.tick-time=%s: when its leader is cut off from the other servers, a lock may have two "
                            + "holders for a moment. Raise %s to %s, and maxSessionTimeout of the "
                            + "servers if that is what limits it, or set sync-limit and tick-time to what the servers have; "
                            + "sync-limit=0 for a single server",
                    PrintableDuration.of(Duration.ofMillis(session.timeoutMillis())), options.syncLimit(),
                    PrintableDuration.of(options.tickTime()), options.sessionSetting(), PrintableDuration.of(shortest));
        }
    }
}
