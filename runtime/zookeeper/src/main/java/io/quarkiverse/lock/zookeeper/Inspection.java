package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;

/**
 * Asks who holds a name. When a holder in another JVM got it the node does not say; what is told is how old the node is, by the
 * difference of two clocks.
 */
final class Inspection extends HolderQuery<Optional<LockInfo>> implements DataCallback {

    /** The JVM's tokens of one grant: its fence times this, and up to as many more. */
    private static final long TOKENS_PER_FENCE = 1024;

    private final List<LockInfo.Holder> holders = new ArrayList<>();
    private int waiters;
    private int open;

    Inspection(ZooKeeperLockBackend backend, String name) {
        super(backend, name);
    }

    @Override
    Optional<LockInfo> nothing() {
        return Optional.empty();
    }

    @Override
    void found(Session session, List<String> children, Map<String, Long> czxids) {
        List<String> holding = backend.line().holders(children, czxids);
        waiters = backend.line().count(children) - holding.size();
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
            resume(); // it has just ended; somebody else may have it now
        } else {
            answer(Optional.of(new LockInfo(name, holders, waiters)));
        }
    }

    private LockInfo.Holder holder(String path, NodeData data, Stat stat) {
        long token = stat.getCzxid() * TOKENS_PER_FENCE;
        String node = path.substring(container.length() + 1);
        LockMode mode = backend.line().shares(node) ? LockMode.SHARED : LockMode.EXCLUSIVE;
        int limit = backend.line().limit(node);
        ZooKeeperGrant here = backend.grants().at(path);
        if (here == null) {
            long age = Math.max(0, backend.time().wallMillis() - stat.getCtime());
            return new LockInfo.Holder(data.owner(), token, mode, limit, Duration.ofMillis(age), data.lease());
        }
        long now = backend.time().nanoTime();
        return new LockInfo.Holder(data.owner(), token, mode, limit, Duration.ofNanos(now - here.grantedAt()),
                Duration.ofNanos(Math.max(0, here.endsAt() - now)));
    }
}
