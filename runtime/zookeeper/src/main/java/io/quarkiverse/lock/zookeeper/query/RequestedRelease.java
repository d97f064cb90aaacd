package io.quarkiverse.lock.zookeeper.query;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * Asks the holders of a name to release it, as Curator's {@code Revoker} does: changes the data of their nodes, which they
 * watch.
 */
public final class RequestedRelease extends HolderAction implements DataCallback, StatCallback {

    private final HeldGrants held;

    public RequestedRelease(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order,
            HeldGrants held, String name, String container) {
        super(sessions, timers, errors, order, name, container);
        this.held = held;
    }

    @Override
    void begin(Session session, String path) {
        session.zk().getData(path, false, this, session);
    }

    @Override
    public void processResult(int rc, String path, Object session, byte[] data, Stat stat) {
        if (rc == Code.OK.intValue() && !NodeData.asked(data)) {
            ((Session) session).zk().setData(path, NodeData.ask(data), stat.getVersion(), this, session);
        } else {
            outcome(rc, path);
        }
    }

    @Override
    public void processResult(int rc, String path, Object session, Stat stat) {
        if (rc == Code.BADVERSION.intValue()) {
            begin((Session) session, path); // the holder has just let readers in, which must not be overwritten
        } else if (rc == Code.NOAUTH.intValue()) {
            mayNotWrite(path);
        } else {
            outcome(rc, path);
        }
    }

    /** A holder in this JVM need not wait for its watch. */
    @Override
    void done(String path) {
        held.releaseRequested(path);
    }
}
