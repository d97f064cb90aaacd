package io.quarkiverse.lock.zookeeper.claim;

import java.util.List;

import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

import io.quarkiverse.lock.zookeeper.nodes.NodePaths;

/** The search for a node whose creation got no reply: if it was created, it is in a list as the leader knows it. */
record NodeSearch(ClaimNode node) implements StatCallback {

    static void begin(ClaimNode node, String container, List<String> children, String prefix) {
        String found = NodePaths.latest(container, children, prefix);
        if (found == null) {
            node.create();
        } else {
            node.session().zk().exists(found, false, new NodeSearch(node), null);
        }
    }

    /** The owner of the node. */
    @Override
    public void processResult(int rc, String path, Object ctx, Stat stat) {
        if (rc == Code.OK.intValue() && stat.getEphemeralOwner() == node.session().id()) {
            node.found(path, stat);
        } else if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
            node.create(); // it belongs to an earlier session, and goes with that
        } else {
            node.disconnected();
        }
    }
}
