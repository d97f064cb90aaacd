package io.quarkiverse.lock.zookeeper.claim;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * Whether a waiting node certainly exists. The replies and events of a connection arrive in the order in which things happened.
 * If one of them reports that another node has gone, and none before it that this one has, this one still existed then. A new
 * connection reports what was missed in any order, so the node must be read again. Used only on the event thread.
 */
final class OwnNodeWatch implements Watcher, DataCallback {

    private final PendingClaim pending;
    private boolean exists;

    OwnNodeWatch(PendingClaim pending) {
        this.pending = pending;
    }

    /** The answer comes before that to the next request. */
    void watch(ZooKeeper zk, String path) {
        if (!exists) {
            zk.getData(path, this, this, null);
        }
    }

    boolean exists() {
        return exists;
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        exists = rc == Code.OK.intValue();
    }

    /** An event of the node or of the connection: the watch is used up, or no longer reliable. */
    @Override
    public void process(WatchedEvent event) {
        exists = false;
        if (event.getType() == Event.EventType.NodeDeleted) {
            pending.nodeDeleted(event.getPath()); // it may have just been granted
        }
    }
}
