package io.quarkiverse.lock.zookeeper;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;

/** Takes a name from whoever holds it: deletes their nodes, which they or their watches notice. */
final class ForcedRelease extends Query<Boolean> {

    private boolean some;
    private int open;

    ForcedRelease(ZooKeeperLockBackend backend, String name) {
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
            session.zk().delete(container + '/' + each, -1, this, this);
        }
    }

    @Override
    public void processResult(int rc, String path, Object deletion) {
        if (deletion == null) {
            super.processResult(rc, path, null);
            return;
        }
        if (rc == Code.OK.intValue()) {
            some = true;
            backend.grants().deleted(path);
        } else if (rc != Code.NONODE.intValue()) {
            failed(rc, path);
            return;
        }
        if (--open == 0) {
            answer(some);
        }
    }
}
