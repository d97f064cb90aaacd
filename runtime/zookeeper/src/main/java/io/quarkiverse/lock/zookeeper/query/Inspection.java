package io.quarkiverse.lock.zookeeper.query;

import java.util.List;
import java.util.Optional;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/** Reads who holds a name, and who waits for it. */
public final class Inspection extends HolderQuery<Optional<LockInfo>> implements DataCallback {

    private final HeldGrants held;
    private NodeFindings findings;
    private List<String> holding = List.of();
    private int waiters;
    private int open;

    public Inspection(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order, HeldGrants held,
            String name, String container) {
        super(sessions, timers, errors, order, name, container);
        this.held = held;
        this.findings = new NodeFindings(name, container, order, held, timers);
    }

    @Override
    Optional<LockInfo> nothing() {
        return Optional.empty();
    }

    @Override
    void found(Session session, List<String> holding, List<String> inLine) {
        findings = new NodeFindings(name, container, order, held, timers);
        this.holding = holding;
        waiters = inLine.size() - holding.size();
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
            String node = path.substring(container.length() + 1);
            if (holding.contains(node)) {
                findings.holder(node, data, stat);
            } else {
                findings.waiter(node, data, stat);
            }
        } else if (rc != Code.NONODE.intValue()) {
            failed(rc, path);
            return;
        }
        if (--open > 0) {
            return;
        }
        if (findings.held()) {
            answer(Optional.of(findings.info(waiters)));
        } else {
            resume(); // the lock has just been released; somebody else may hold it now
        }
    }
}
