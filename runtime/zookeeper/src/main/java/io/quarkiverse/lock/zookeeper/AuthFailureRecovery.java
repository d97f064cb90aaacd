package io.quarkiverse.lock.zookeeper;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Whether the servers accept who this client says it is. A ZooKeeper client that they do not is dead, and Curator keeps it: it
 * is replaced now and then, ever more seldom, so that an application recovers when the servers have been corrected.
 */
final class AuthFailureRecovery {

    private static final Logger LOG = Logger.getLogger(ZooKeeperLockBackend.class);
    private static final long FIRST = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST = TimeUnit.SECONDS.toNanos(30);

    private final CuratorFramework curator;
    private final SessionTracker.User timers;
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile long delay = FIRST;
    private volatile SessionWaiters.@Nullable Refusal refusal;

    AuthFailureRecovery(CuratorFramework curator, SessionTracker.User timers) {
        this.curator = curator;
        this.timers = timers;
    }

    /** Why nobody is let in; {@code null} if that is not known. */
    SessionWaiters.@Nullable Refusal refusal() {
        return refusal;
    }

    void refused(SessionWaiters.Refusal why) {
        refusal = why;
        schedule();
    }

    void granted() {
        refusal = null;
        delay = FIRST;
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            timers.later(delay, this::tryAgain);
            delay = Math.min(2 * delay, MOST);
        }
    }

    private void tryAgain() {
        scheduled.set(false);
        if (refusal == null) {
            return;
        }
        if (isDead()) { // one that lives has gone on without the identity, or is about to connect
            try {
                curator.getZookeeperClient().reset();
            } catch (Exception e) {
                LOG.debug("The ZooKeeper client cannot be replaced yet", e);
            }
        }
        schedule();
    }

    /** Whether nobody was let in, which not every client is told of. */
    boolean isDead() {
        try {
            return curator.getZookeeperClient().getZooKeeper().getState() == ZooKeeper.States.AUTH_FAILED;
        } catch (Exception e) {
            LOG.debug("The ZooKeeper client cannot be had", e);
            return false;
        }
    }
}
