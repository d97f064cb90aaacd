package io.quarkiverse.lock.zookeeper.claim;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * Whether a waiting node certainly exists. The replies and events of a connection come in the order of what they tell: if
 * nothing has come of this node before the news that another one has gone, this one was there then. A new connection reports
 * what was missed in any order, so that needs a new look. Used only on the event thread.
 */
final class OwnNodeWatch implements Watcher, DataCallback {

    private final PendingClaim pending;
    private boolean exists;

    OwnNodeWatch(PendingClaim pending) {
        this.pending = pending;
    }

    /** Known when the reply to the next request comes. */
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

    /** Of the node, or of the connection: its watch is used up, or unreliable. */
    @Override
    public void process(WatchedEvent event) {
        exists = false;
        if (event.getType() == Event.EventType.NodeDeleted) {
            pending.nodeDeleted(event.getPath()); // it may have just been granted
        }
    }
}
