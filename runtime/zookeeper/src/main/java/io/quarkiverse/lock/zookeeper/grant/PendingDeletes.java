package io.quarkiverse.lock.zookeeper.grant;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.support.OngoingWithdrawals;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.errors.ReplyCodes;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.session.NodeRoom;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionEvents;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * Nodes that are no longer needed. Each is deleted, again after each lost connection, until the servers have answered or the
 * session is over, and with it the node. If the creation of a node got no reply, only the beginning of its name is known, so it
 * is searched for first.
 */
public final class PendingDeletes implements SessionEvents {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(200);

    private final SessionTracker sessions;
    private final Timers timers;
    private final ErrorMessages errors;
    private final Set<PendingDelete> open = ConcurrentHashMap.newKeySet();
    private final OngoingWithdrawals ongoing = new OngoingWithdrawals();

    public PendingDeletes(SessionTracker sessions, Timers timers, ErrorMessages errors) {
        this.sessions = sessions;
        this.timers = timers;
        this.errors = errors;
    }

    /** @param room given back once the node is gone */
    public void delete(Session session, String path, NodeRoom.Share room) {
        begin(new PendingDelete(session, path, null, room));
    }

    /**
     * @param prefix the beginning of the node's path
     * @param room given back once there is no such node
     */
    public void search(Session session, String container, String prefix, NodeRoom.Share room) {
        begin(new PendingDelete(session, container, prefix, room));
    }

    private void begin(PendingDelete leftover) {
        if (!leftover.session.over()) {
            ongoing.begin();
            open.add(leftover);
            leftover.run();
        }
    }

    @Override
    public void reconnected(Session session) {
        for (PendingDelete each : open) {
            if (each.session == session && each.failed) {
                each.failed = false;
                each.run();
            }
        }
    }

    @Override
    public void ended(Session session) {
        for (PendingDelete each : open) {
            if (each.session == session) {
                each.done();
            }
        }
    }

    public boolean none() {
        return open.isEmpty();
    }

    /** Waits until there are none, at most for that long. */
    public void awaitNone(Duration atMost) {
        ongoing.await(atMost);
    }

    private final class PendingDelete implements VoidCallback, ChildrenCallback {

        private final Session session;
        private final @Nullable String prefix;
        private final NodeRoom.Share room;
        private String path;
        private boolean found;
        private boolean synced;
        private volatile boolean failed;

        PendingDelete(Session session, String path, @Nullable String prefix, NodeRoom.Share room) {
            this.session = session;
            this.path = path;
            this.prefix = prefix;
            this.room = room;
            this.found = prefix == null;
        }

        void run() {
            if (found) {
                session.zk().delete(path, -1, this, this);
            } else {
                session.zk().sync(path, this, null);
                session.zk().getChildren(path, false, this, null);
            }
        }

        /** Of the sync, or of the deletion. */
        @Override
        public void processResult(int rc, String asked, Object ctx) {
            if (ctx == null) {
                synced = rc == Code.OK.intValue();
            } else {
                answered(rc);
            }
        }

        @Override
        public void processResult(int rc, String container, Object ctx, List<String> children) {
            boolean answer = rc == Code.OK.intValue() || rc == Code.NONODE.intValue();
            if (answer && !synced) {
                answered(Code.OPERATIONTIMEOUT.intValue()); // the leader may know more than this server
                return;
            }
            if (rc != Code.OK.intValue()) {
                answered(rc);
                return;
            }
            String latest = NodePaths.latest(container, children, prefix);
            if (latest == null) {
                gone();
            } else {
                path = latest;
                found = true;
                run();
            }
        }

        private void answered(int rc) {
            if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                gone();
            } else if (ReplyCodes.connectionLost(rc) && !session.over()) {
                failed = true;
                if (sessions.usable() == session) {
                    // The connection is already back; or the session has ended unnoticed, and it answers at once
                    timers.later(AGAIN, () -> reconnected(session));
                }
            } else if (ReplyCodes.busy(rc) && !session.over()) {
                timers.later(AGAIN, this::run);
            } else {
                if (!session.over()) {
                    LOG.warnf("Lock node %s could not be deleted, and remains until its session ends: %s", path,
                            errors.reason(rc, path));
                }
                done();
            }
        }

        private void gone() {
            room.free();
            done();
        }

        private void done() {
            if (open.remove(this)) { // the end of its session may have come first
                ongoing.end();
            }
        }
    }
}
