package io.quarkiverse.lock.zookeeper.query;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * Writes a note into the node of a waiting claim. The write names the version that was read: the claim may be granted
 * meanwhile, and what was written to a holder's node must not be erased.
 */
public final class NoteRequest extends HolderQuery<Boolean> implements DataCallback, StatCallback {

    private final String prefix;
    private final byte[] noted;

    /** @param prefix the path of the claim's node without its number */
    public NoteRequest(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order, Claim claim,
            String container, String prefix, String owner, String note) {
        super(sessions, timers, errors, order, claim.name(), container);
        this.prefix = prefix;
        this.noted = NodeData.note(NodeData.of(owner, TimeUnit.NANOSECONDS.toMillis(claim.leaseNanos())), note);
    }

    @Override
    Boolean nothing() {
        return false;
    }

    /** This JVM holds the name or waits for it, so it has listed the nodes already. */
    @Override
    boolean counts() {
        return false;
    }

    @Override
    void found(Session session, List<String> holding, List<String> inLine) {
        String path = NodePaths.latest(container, inLine, prefix);
        if (path == null || holding.contains(path.substring(container.length() + 1))) {
            answer(false);
        } else {
            session.zk().getData(path, false, this, session);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        Session session = (Session) ctx;
        if (rc != Code.OK.intValue()) {
            outcome(rc, path);
        } else if (stat.getEphemeralOwner() != session.id() || NodeData.asked(data) || NodeData.of(data).shared()) {
            answer(false); // from an earlier session, or it now belongs to a holder
        } else {
            session.zk().setData(path, noted, stat.getVersion(), this, null);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx, Stat stat) {
        outcome(rc, path);
    }

    private void outcome(int rc, String path) {
        if (rc == Code.NONODE.intValue() || rc == Code.BADVERSION.intValue()) {
            answer(false);
        } else if (rc == Code.NOAUTH.intValue()) {
            mayNotWrite(path);
        } else if (rc != Code.OK.intValue()) {
            failed(rc, path);
        } else {
            answer(true);
        }
    }
}
