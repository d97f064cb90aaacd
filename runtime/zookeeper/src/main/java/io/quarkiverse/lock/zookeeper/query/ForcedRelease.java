package io.quarkiverse.lock.zookeeper.query;

import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/** Releases a name by force: deletes the nodes of its holders, which notice it by their watches. */
public final class ForcedRelease extends HolderAction {

    private final HeldGrants held;

    public ForcedRelease(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order,
            HeldGrants held, String name, String container) {
        super(sessions, timers, errors, order, name, container);
        this.held = held;
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
    void done(String path) {
        held.deleted(path);
    }
}
