package io.quarkiverse.lock.zookeeper;

import java.util.List;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * Asks whoever holds a name to finish, as Curator's {@code Revoker} does: it changes what is in their nodes, which they watch.
 */
final class RequestedRelease extends Query<Boolean> implements DataCallback, StatCallback {

    private boolean some;
    private int open;

    RequestedRelease(ZooKeeperLockBackend backend, String name) {
        super(backend, name);
    }

    @Override
    Boolean nothing() {
        return false;
    }

    @Override
    void found(Session session, List<String> children) {
        List<String> holding = backend.line().holders(children);
        open = holding.size();
        if (open == 0) {
            answer(false);
        }
        for (String each : holding) {
            session.zk().getData(container + '/' + each, false, this, session);
        }
    }

    @Override
    public void processResult(int rc, String path, Object session, byte[] data, Stat stat) {
        if (rc == Code.OK.intValue() && !Data.asked(data)) {
            ((Session) session).zk().setData(path, Data.ask(data), -1, this, null);
        } else {
            asked(rc, path);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx, Stat stat) {
        if (rc == Code.NOAUTH.intValue()) {
            fail(backend.explain().mayNotAsk(name, path));
        } else {
            asked(rc, path);
        }
    }

    private void asked(int rc, String path) {
        if (rc == Code.OK.intValue()) {
            some = true;
            backend.grants().asked(path); // who is in this JVM need not wait for its watch
        } else if (rc != Code.NONODE.intValue()) {
            failed(rc, path);
            return;
        }
        if (--open == 0) {
            answer(some);
        }
    }
}
