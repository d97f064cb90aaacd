package io.quarkiverse.lock.zookeeper.session;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.StringCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * The root of all locks. Created if missing; its data names the format of what lies below. Other data, such as Curator's, has
 * no meaning. Checked once in each session.
 */
final class RootNode implements DataCallback, StringCallback {

    /** Called with the result. */
    interface Outcome {

        void ready(Session session);

        /** @param format the unknown format, if that is the reason */
        void failed(Session session, int rc, String path, @Nullable String format);

        /** The client of the session was closed. */
        void closed(Session session);
    }

    /**
     * A watch on the root, which nobody but the ZooKeeper client itself tells when somebody closes it. ZooKeeper keeps equal
     * watchers only once.
     */
    private record EndWatch(Session session, Outcome outcome) implements Watcher {

        @Override
        public void process(WatchedEvent event) {
            if (event.getType() != Event.EventType.None) {
                session.zk().exists(event.getPath(), this, (StatCallback) (rc, path, ctx, stat) -> {
                }, null); // it is used up
            } else if (event.getState() == Event.KeeperState.Closed) {
                outcome.closed(session);
            }
        }
    }

    private final Session session;
    private final String path;
    private final ZooKeeperLockOptions options;
    private final Outcome outcome;
    private int missed;

    RootNode(Session session, String path, ZooKeeperLockOptions options, Outcome outcome) {
        this.session = session;
        this.path = path;
        this.options = options;
        this.outcome = outcome;
    }

    void check() {
        session.zk().getData(path, new EndWatch(session, outcome), this, null);
    }

    @Override
    public void processResult(int rc, String asked, Object ctx, byte[] data, Stat stat) {
        if (rc == Code.NONODE.intValue() && missed++ < 3) {
            create();
        } else if (rc != Code.OK.intValue()) {
            outcome.failed(session, rc, path, null);
        } else {
            String format = NodePaths.unknownFormat(data);
            if (format == null) {
                outcome.ready(session);
            } else {
                outcome.failed(session, rc, path, format);
            }
        }
    }

    /**
     * Creates all levels at once; existing ones stay as they are. Missing levels above the root get our ACL as well: if they
     * were open, anybody could put their own root there. Then checks again, since another client may have created it.
     */
    private void create() {
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            session.zk().create(path.substring(0, slash), new byte[0], options.acl(), CreateMode.PERSISTENT, this, null);
        }
        session.zk().create(path, NodePaths.rootData(), options.acl(), CreateMode.PERSISTENT, this, path);
    }

    @Override
    public void processResult(int rc, String asked, Object last, String name) {
        if (last == null) {
            return;
        }
        if (rc == Code.OK.intValue() || rc == Code.NODEEXISTS.intValue()) {
            check();
        } else {
            outcome.failed(session, rc, asked, null);
        }
    }
}
