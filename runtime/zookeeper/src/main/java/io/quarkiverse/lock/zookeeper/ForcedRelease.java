package io.quarkiverse.lock.zookeeper;

/** Takes a name from whoever holds it: deletes their nodes, which they or their watches notice. */
final class ForcedRelease extends HolderAction {

    ForcedRelease(ZooKeeperLockBackend backend, String name) {
        super(backend, name);
    }

    @Override
    void begin(Session session, String path) {
        session.zk().delete(path, -1, this, this);
    }

    @Override
    public void processResult(int rc, String path, Object deletion) {
        if (deletion == null) {
            super.processResult(rc, path, null);
        } else {
            outcome(rc, path);
        }
    }

    @Override
    void did(String path) {
        backend.grants().deleted(path);
    }
}
