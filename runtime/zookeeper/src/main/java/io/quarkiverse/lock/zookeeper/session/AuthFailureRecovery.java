package io.quarkiverse.lock.zookeeper.session;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.zookeeper.errors.Refusal;

/**
 * Recovers from failed authentication. The ZooKeeper client is then dead, but Curator keeps it. It is replaced at growing
 * intervals, so that the application recovers once the servers have been corrected.
 */
final class AuthFailureRecovery {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");
    private static final long FIRST = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);

    private final CuratorFramework curator;
    private final Timers timers;
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private volatile long delay = FIRST;
    private volatile @Nullable Refusal refusal;

    AuthFailureRecovery(CuratorFramework curator, Timers timers) {
        this.curator = curator;
        this.timers = timers;
    }

    /** Why authentication has failed; {@code null} if no failure is known. */
    @Nullable
    Refusal refusal() {
        return refusal;
    }

    void refused(Refusal why) {
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
            delay = Math.min(2 * delay, LONGEST);
        }
    }

    private void tryAgain() {
        scheduled.set(false);
        if (refusal == null) {
            return;
        }
        if (isDead()) { // a live one goes on without the identity, or is about to connect
            try {
                curator.getZookeeperClient().reset();
            } catch (Exception e) {
                LOG.debug("The ZooKeeper client cannot be replaced yet", e);
            }
        }
        schedule();
    }

    /** Whether authentication has failed; not every client gets an event for that. */
    boolean isDead() {
        try {
            return curator.getZookeeperClient().getZooKeeper().getState() == ZooKeeper.States.AUTH_FAILED;
        } catch (Exception e) {
            LOG.debug("There is no ZooKeeper client", e);
            return false;
        }
    }
}
