package io.quarkiverse.lock.zookeeper.query;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * Reads who holds a name. The node of a holder in another JVM does not say since when; the age of the node stands for it, by
 * the difference of two clocks.
 */
public final class Inspection extends HolderQuery<Optional<LockInfo>> implements DataCallback {

    private final HeldGrants held;
    private final List<LockInfo.Holder> holders = new ArrayList<>();
    private int waiters;
    private int open;

    public Inspection(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order, HeldGrants held,
            String name, String container) {
        super(sessions, timers, errors, order, name, container);
        this.held = held;
    }

    @Override
    Optional<LockInfo> nothing() {
        return Optional.empty();
    }

    @Override
    void found(Session session, List<String> holding, int inLine) {
        waiters = inLine - holding.size();
        open = holding.size();
        if (open == 0) {
            answer(Optional.empty());
        }
        for (String each : holding) {
            session.zk().getData(container + '/' + each, false, this, null);
        }
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        if (rc == Code.OK.intValue()) {
            holders.add(holder(path, NodeData.of(data), stat));
        } else if (rc != Code.NONODE.intValue()) {
            failed(rc, path);
            return;
        }
        if (--open > 0) {
            return;
        }
        if (holders.isEmpty()) {
            resume(); // it has just been released; somebody else may hold it now
        } else {
            answer(Optional.of(new LockInfo(name, holders, waiters)));
        }
    }

    private LockInfo.Holder holder(String path, NodeData data, Stat stat) {
        long token = Grant.firstToken(stat.getCzxid());
        String node = path.substring(container.length() + 1);
        LockMode mode = order.shares(node) || data.shared() ? LockMode.SHARED : LockMode.EXCLUSIVE;
        int limit = order.limit(node);
        ZooKeeperGrant here = held.at(path);
        if (here == null) {
            long age = Math.max(0, timers.wallMillis() - stat.getCtime());
            return new LockInfo.Holder(data.owner(), token, mode, limit, Duration.ofMillis(age), data.lease());
        }
        long now = timers.nanoTime();
        return new LockInfo.Holder(data.owner(), token, mode, limit, Duration.ofNanos(now - here.grantedAt()),
                Duration.ofNanos(Math.max(0, here.endsAt() - now)));
    }
}
