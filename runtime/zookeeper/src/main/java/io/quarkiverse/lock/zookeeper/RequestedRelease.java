package io.quarkiverse.lock.zookeeper;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * Asks whoever holds a name to finish, as Curator's {@code Revoker} does: it changes what is in their nodes, which they watch.
 */
final class RequestedRelease extends HolderAction implements DataCallback, StatCallback {

    RequestedRelease(ZooKeeperLockBackend backend, String name) {
        super(backend, name);
    }

    @Override
    void begin(Session session, String path) {
        session.zk().getData(path, false, this, session);
    }

    @Override
    public void processResult(int rc, String path, Object session, byte[] data, Stat stat) {
        if (rc == Code.OK.intValue() && !NodeData.asked(data)) {
            ((Session) session).zk().setData(path, NodeData.ask(data), -1, this, null);
        } else {
            outcome(rc, path);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx, Stat stat) {
        if (rc == Code.NOAUTH.intValue()) {
            fail(backend.explain().mayNotAsk(name, path));
        } else {
            outcome(rc, path);
        }
    }

    /** Who is in this JVM need not wait for its watch. */
    @Override
    void did(String path) {
        backend.grants().asked(path);
    }
}
