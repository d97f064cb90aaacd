package io.quarkiverse.lock.zookeeper;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that nobody wants any more. Each is deleted, again and again over lost connections, until the servers have answered or
 * the session is over, and with it the node. Of one whose creation had no answer only the beginning of its name is known: it is
 * looked for first.
 */
final class PendingDeletes {

    private static final Logger LOG = Logger.getLogger(ZooKeeperLockBackend.class);
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(200);

    private final ZooKeeperLockBackend backend;
    private final Set<PendingDelete> open = ConcurrentHashMap.newKeySet();

    PendingDeletes(ZooKeeperLockBackend backend) {
        this.backend = backend;
    }

    void delete(Session session, String path) {
        begin(new PendingDelete(session, path, null));
    }

    /** @param prefix how the path of the node begins */
    void search(Session session, String container, String prefix) {
        begin(new PendingDelete(session, container, prefix));
    }

    private void begin(PendingDelete leftover) {
        if (!leftover.session.over()) {
            open.add(leftover);
            leftover.run();
        }
    }

    void reconnected(Session session) {
        for (PendingDelete each : open) {
            if (each.session == session && each.failed) {
                each.failed = false;
                each.run();
            }
        }
    }

    void ended(Session session) {
        open.removeIf(each -> each.session == session);
        backend.settled();
    }

    boolean none() {
        return open.isEmpty();
    }

    private final class PendingDelete implements VoidCallback, ChildrenCallback {

        private final Session session;
        private final @Nullable String prefix;
        private String path;
        private boolean found;
        private boolean synced;
        private volatile boolean failed;

        PendingDelete(Session session, String path, @Nullable String prefix) {
            this.session = session;
            this.path = path;
            this.prefix = prefix;
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
            if (rc != Code.OK.intValue() || !synced) {
                answered(rc == Code.OK.intValue() ? Code.OPERATIONTIMEOUT.intValue() : rc);
                return;
            }
            String latest = NodePaths.latest(container, children, prefix);
            if (latest == null) {
                done();
            } else {
                path = latest;
                found = true;
                run();
            }
        }

        private void answered(int rc) {
            if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                done();
            } else if (ErrorMessages.connectionLost(rc) && !session.over()) {
                failed = true;
                if (backend.link().usable() == session) {
                    // It came back before this was known; or it has ended, which is not known yet, and answers at once
                    backend.later(AGAIN, () -> reconnected(session));
                }
            } else if (ErrorMessages.busy(rc) && !session.over()) {
                backend.later(AGAIN, this::run);
            } else {
                if (!session.over()) {
                    LOG.warnf("Lock node %s could not be deleted, and stays as long as its session: %s", path,
                            backend.explain().reason(rc, path));
                }
                done();
            }
        }

        private void done() {
            open.remove(this);
            backend.settled();
        }
    }
}
