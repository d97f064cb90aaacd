package io.quarkiverse.lock.zookeeper.query;

import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.WaitNotes;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/** Reads who holds a name, and the notes of its waiters. */
public final class LineQuery extends HolderQuery<WaitNotes.Line> implements DataCallback {

    private List<String> holding = List.of();
    private List<WaitNotes.Holder> holders = List.of();
    private List<WaitNotes.Waiter> waiters = List.of();
    private int open;

    public LineQuery(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order, String name,
            String container) {
        super(sessions, timers, errors, order, name, container);
    }

    @Override
    WaitNotes.Line nothing() {
        return WaitNotes.Line.NOBODY;
    }

    /** This JVM holds the name or waits for it, so it has listed the nodes already. */
    @Override
    boolean counts() {
        return false;
    }

    @Override
    void found(Session session, List<String> holding, List<String> inLine) {
        this.holding = holding;
        holders = new ArrayList<>();
        waiters = new ArrayList<>();
        if (holding.isEmpty()) {
            answer(nothing());
            return;
        }
        List<String> nodes = toRead(holding, inLine);
        open = nodes.size();
        read(session, nodes, this);
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        if (rc == Code.OK.intValue()) {
            read(path.substring(container.length() + 1), NodeData.of(data), stat.getCzxid());
        } else if (rc != Code.NONODE.intValue()) {
            failed(rc, path);
            return;
        }
        if (--open == 0) {
            answer(new WaitNotes.Line(holders, waiters));
        }
    }

    private void read(String node, NodeData data, long czxid) {
        String note = data.note();
        if (holding.contains(node)) {
            LockMode mode = order.shares(node) || data.shared() ? LockMode.SHARED : LockMode.EXCLUSIVE;
            holders.add(new WaitNotes.Holder(czxid, mode, order.limit(node)));
        } else if (note != null) {
            waiters.add(new WaitNotes.Waiter(NodePaths.token(node), czxid, data.owner(), note));
        }
    }
}
