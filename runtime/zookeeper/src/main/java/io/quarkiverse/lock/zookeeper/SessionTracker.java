package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The session that Curator keeps, and what becomes of it. Requests go to the ZooKeeper client of the session itself: Curator
 * makes it, connects it, and makes another when it has expired.
 */
final class SessionTracker implements RootNode.Outcome {

    private static final Logger LOG = Logger.getLogger(ZooKeeperLockBackend.class);
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(200);

    /** What has to do with the session. Told on whatever thread it happens; must be quick. */
    interface User {

        /** The connection is gone; it may come back. */
        void disconnected();

        /** The server that this session is connected to now grants it less time than the one before. */
        void shortened(Session session);

        /** The connection of this session is back. */
        void reconnected(Session session);

        /** This session is over, and what it had is gone. */
        void ended(Session session);

        /** Runs it after a while, unless all is closed by then. */
        void later(long nanos, Runnable task);
    }

    private final CuratorFramework curator;
    private final ZooKeeperLockOptions options;
    private final String root;
    private final User user;
    private final ConnectionEvents events;
    private final AuthFailureRecovery admission;
    private final SessionWaiters parking = new SessionWaiters();
    private final ReentrantLock guard = new ReentrantLock();
    private final AtomicBoolean looksLater = new AtomicBoolean();
    /** In milliseconds. */
    private final AtomicInteger warnedOf = new AtomicInteger();

    private @Nullable Session current;
    private boolean checking;
    private volatile boolean connected;
    private volatile @Nullable Session usable;

    SessionTracker(CuratorFramework curator, ZooKeeperLockOptions options, String root, User user) {
        this.curator = curator;
        this.options = options;
        this.root = root;
        this.user = user;
        this.events = new ConnectionEvents(curator, this);
        this.admission = new AuthFailureRecovery(curator, user);
    }

    void attach() {
        events.begin();
    }

    void detach() {
        events.end();
        usable = null;
    }

    /** The session, if it is connected and checked; otherwise {@link #park}. */
    @Nullable
    Session usable() {
        return usable;
    }

    boolean connected() {
        return connected;
    }

    /** To be resumed when there is a session, or at once when there is one by now. */
    void park(SessionWaiters.SessionWaiter waiting) {
        parking.add(waiting);
        SessionWaiters.Refusal refusal = admission.refusal();
        if (usable != null) {
            parking.resumeAll();
        } else if (connected) {
            check();
        } else if (refusal != null) {
            parking.refuseAll(refusal);
        } else if (admission.isDead()) {
            notLetIn();
        }
    }

    void unpark(SessionWaiters.SessionWaiter waiting) {
        parking.remove(waiting);
    }

    // --- what happens to the connection

    void up() {
        ZooKeeper zk;
        try {
            zk = curator.getZookeeperClient().getZooKeeper();
        } catch (Exception e) {
            LOG.debug("The ZooKeeper client cannot be had", e);
            user.later(AGAIN, this::up); // Curator tells here of what went wrong before, each time of one thing
            return;
        }
        if (zk.getState() != ZooKeeper.States.CONNECTED) {
            return; // not any more; that will be told as well
        }
        Session before;
        Session now;
        boolean shorter;
        guard.lock();
        try {
            before = current;
            now = before != null && before.zk() == zk && before.id() == zk.getSessionId() && !before.over() ? before
                    : new Session(zk, zk.getSessionId(), zk.getSessionTimeout(), options.tickTime().toMillis());
            shorter = now.negotiated(zk.getSessionTimeout());
            current = now;
            connected = true;
            if (tooShort(now)) {
                usable = null;
            }
        } finally {
            guard.unlock();
        }
        if (before != null && before != now) {
            end(before);
        }
        if (shorter) {
            user.shortened(now);
        }
        if (shorter || before != now) {
            warnIfShort(now);
        }
        if (tooShort(now)) {
            user.reconnected(now); // no use for new claims, but what is in line or given up there is still to go
        }
        check();
    }

    private void warnIfShort(Session session) {
        Duration shortest = options.shortestSession();
        if (session.timeoutMillis() < shortest.toMillis()
                && warnedOf.getAndSet(session.timeoutMillis()) != session.timeoutMillis()) {
            LOG.warnf(
                    "The session timeout of %dms that ZooKeeper grants is too short for quarkus.lock.zookeeper.sync-limit=%d and "
                            + "quarkus.lock.zookeeper.tick-time=%dms: when its leader is cut off from the other servers, a lock may have two "
                            + "holders for a moment. Raise quarkus.lock.zookeeper.session-timeout to %dms, and maxSessionTimeout of the "
                            + "servers if that is what limits it, or set the former two to what the servers have; sync-limit=0 for a "
                            + "single server",
                    session.timeoutMillis(), options.syncLimit(), options.tickTime().toMillis(),
                    shortest.toMillis());
        }
    }

    /** It leaves nothing for a holder. */
    private boolean tooShort(Session session) {
        return session.leaseNanos() <= options.afterLossDelay().toNanos();
    }

    void down() {
        guard.lock();
        try {
            connected = false;
            usable = null;
        } finally {
            guard.unlock();
        }
        user.disconnected();
    }

    /** Curator tells after it has made the next client, which may be in use by now: then {@link #up} has ended the former. */
    void over() {
        Session ended;
        guard.lock();
        try {
            ended = current;
            if (ended != null && ended.zk().getState().isAlive()) {
                if (ended.zk().getState().isConnected()) {
                    return;
                }
                ended = null; // the next one, whose connection is gone as well: not everybody is told of that
            } else {
                current = null;
            }
            connected = false;
            usable = null;
        } finally {
            guard.unlock();
        }
        user.disconnected();
        if (ended != null) {
            end(ended);
        }
    }

    /** The servers do not accept who this is. */
    void notLetIn() {
        refuse(new SessionWaiters.Refusal(Code.AUTHFAILED.intValue(), root, null, 0));
    }

    private void end(Session session) {
        session.end();
        user.ended(session);
    }

    // --- whether the session is of use

    /** Something is wrong with the root: it is looked at anew before the session is used again. */
    void look(Session session) {
        guard.lock();
        try {
            if (usable == session) {
                usable = null;
            }
        } finally {
            guard.unlock();
        }
        check();
    }

    private void check() {
        Session session;
        guard.lock();
        try {
            session = current;
            if (session == null || checking) {
                return;
            }
            checking = true;
        } finally {
            guard.unlock();
        }
        if (tooShort(session)) {
            checked();
            refuse(new SessionWaiters.Refusal(0, root, null, session.timeoutMillis()));
        } else {
            new RootNode(session, root, options, this).check();
        }
    }

    private void checked() {
        guard.lock();
        try {
            checking = false;
        } finally {
            guard.unlock();
        }
    }

    @Override
    public void ready(Session session) {
        boolean current;
        guard.lock();
        try {
            checking = false;
            current = connected && this.current == session && !session.over();
            if (current) {
                usable = session;
            }
        } finally {
            guard.unlock();
        }
        if (current) {
            admission.granted();
            user.reconnected(session);
            parking.resumeAll();
        } else if (connected) {
            check();
        }
    }

    @Override
    public void failed(Session session, int rc, String path, @Nullable String format) {
        checked();
        if (format == null && ErrorMessages.connectionLost(rc)) {
            LOG.debugf("ZooKeeper did not answer about %s: %s", path, Code.get(rc));
            if (usableSoon(session)) {
                check();
            }
        } else if (format == null && ErrorMessages.busy(rc)) {
            user.later(AGAIN, this::check);
        } else {
            refuse(new SessionWaiters.Refusal(rc, path, format, 0));
            lookLater();
        }
    }

    /** Somebody may put it right, and what is held needs that as well, though nobody asks for more. */
    private void lookLater() {
        if (looksLater.compareAndSet(false, true)) {
            user.later(5 * AGAIN, () -> {
                looksLater.set(false);
                if (connected && usable == null) {
                    check();
                }
            });
        }
    }

    /** Another one is there already; otherwise what comes next is told, and it is looked at then. */
    private boolean usableSoon(Session after) {
        guard.lock();
        try {
            return connected && current != null && current != after;
        } finally {
            guard.unlock();
        }
    }

    private void refuse(SessionWaiters.Refusal refusal) {
        if (refusal.rc() == Code.AUTHFAILED.intValue()) {
            admission.refused(refusal);
        }
        parking.refuseAll(refusal);
    }
}
