package io.quarkiverse.lock.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The session that Curator keeps, and what becomes of it. Requests go to the ZooKeeper client of the session itself: Curator
 * makes it, connects it, and makes another when it has expired.
 */
final class Link implements CuratorListener, ConnectionStateListener, RootNode.Outcome {

    private static final Logger LOG = Logger.getLogger(ZooKeeperLockBackend.class);

    /** What has to do with the session. Told on whatever thread it happens; must be quick. */
    interface User {

        /** The connection is gone; it may come back. */
        void disconnected();

        /** The connection of this session is back. */
        void reconnected(Session session);

        /** This session is over, and what it had is gone. */
        void ended(Session session);
    }

    /** What waits for a session. */
    interface Parked {

        /** There is one now. */
        void resume();

        /** There will be none that is of use until somebody changes something. */
        void refused(Refused refusal);
    }

    /** Why a session is of no use. */
    record Refused(int rc, String path, @Nullable String format, int shortTimeoutMillis) {
    }

    private final CuratorFramework curator;
    private final ZooKeeperLockOptions options;
    private final String root;
    private final User user;
    private final Set<Parked> parked = ConcurrentHashMap.newKeySet();
    private final ReentrantLock guard = new ReentrantLock();

    private @Nullable Session current;
    private boolean checking;
    private volatile boolean connected;
    private volatile @Nullable Session usable;

    Link(CuratorFramework curator, ZooKeeperLockOptions options, String root, User user) {
        this.curator = curator;
        this.options = options;
        this.root = root;
        this.user = user;
    }

    void attach() {
        try {
            curator.getCuratorListenable().addListener(this);
        } catch (UnsupportedOperationException e) {
            curator.getConnectionStateListenable().addListener(this); // a client with another's namespace hears this only
        }
        if (curator.getZookeeperClient().isConnected()) {
            up();
        }
    }

    void detach() {
        try {
            curator.getCuratorListenable().removeListener(this);
        } catch (UnsupportedOperationException e) {
            curator.getConnectionStateListenable().removeListener(this);
        }
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
    void park(Parked waiting) {
        parked.add(waiting);
        if (usable != null) {
            unparkAll();
        } else if (connected) {
            check();
        }
    }

    void unpark(Parked waiting) {
        parked.remove(waiting);
    }

    private void unparkAll() {
        for (Parked each : parked) {
            if (parked.remove(each)) {
                each.resume();
            }
        }
    }

    // --- what happens to the connection

    @Override
    public void eventReceived(CuratorFramework client, CuratorEvent event) {
        if (event.getType() == CuratorEventType.WATCHED && event.getWatchedEvent().getType() == EventType.None) {
            changed(event.getWatchedEvent().getState());
        }
    }

    private void changed(KeeperState state) {
        switch (state) {
            case SyncConnected -> up();
            case Expired, Closed -> {
                down();
                over();
            }
            case AuthFailed -> {
                down();
                refuse(new Refused(Code.AUTHFAILED.intValue(), root, null, 0));
            }
            case SaslAuthenticated -> {
            }
            default -> down();
        }
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
        changed(switch (state) {
            case CONNECTED, RECONNECTED -> KeeperState.SyncConnected;
            case LOST -> KeeperState.Expired;
            default -> KeeperState.Disconnected;
        });
    }

    private void up() {
        ZooKeeper zk;
        try {
            zk = curator.getZookeeperClient().getZooKeeper();
        } catch (Exception e) {
            LOG.debug("The ZooKeeper client cannot be had", e);
            return;
        }
        if (zk.getState() != ZooKeeper.States.CONNECTED) {
            return; // not any more; that will be told as well
        }
        Session before;
        Session now;
        guard.lock();
        try {
            before = current;
            now = before != null && before.zk() == zk && before.id() == zk.getSessionId() && !before.over() ? before
                    : new Session(zk, zk.getSessionId(), zk.getSessionTimeout(), options.tickTime().toMillis());
            now.negotiated(zk.getSessionTimeout());
            current = now;
            connected = true;
        } finally {
            guard.unlock();
        }
        if (before != null && before != now) {
            end(before);
        }
        check();
    }

    private void down() {
        guard.lock();
        try {
            connected = false;
            usable = null;
        } finally {
            guard.unlock();
        }
        user.disconnected();
    }

    private void over() {
        Session ended;
        guard.lock();
        try {
            ended = current;
            current = null;
        } finally {
            guard.unlock();
        }
        if (ended != null) {
            end(ended);
        }
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
        if (session.leaseNanos() <= 0) {
            checked();
            refuse(new Refused(0, root, null, session.timeoutMillis()));
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
            user.reconnected(session);
            unparkAll();
        } else if (connected) {
            check();
        }
    }

    @Override
    public void failed(Session session, int rc, String path, @Nullable String format) {
        checked();
        if (format == null && Explain.connectionLost(rc)) {
            LOG.debugf("ZooKeeper did not answer about %s: %s", path, Code.get(rc));
            if (usableSoon(session)) {
                check();
            }
        } else {
            refuse(new Refused(rc, path, format, 0));
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

    private void refuse(Refused refusal) {
        for (Parked each : parked) {
            if (parked.remove(each)) {
                each.refused(refusal);
            }
        }
    }
}
