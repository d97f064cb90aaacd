package io.quarkiverse.lock.zookeeper.nodes;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.ZooKeeper;
import org.jboss.logging.Logger;

/**
 * Watches the sequence numbers of new nodes. The servers count all children that a container ever had, up to 2^31 - 1; from
 * then on every node gets that number. Our nodes are still ordered then; those of Curator's recipes are not. So this class
 * warns in time, and deletes the container when it is empty, so that the numbers start again.
 */
public final class SequenceCounterWatch {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");
    private static final int HIGH = 1 << 30;

    /** Containers with a high number, and with the last one: few, since that takes so many nodes. */
    private final Set<String> high = ConcurrentHashMap.newKeySet();
    private final Set<String> exhausted = ConcurrentHashMap.newKeySet();

    /**
     * A node with no {@linkplain NodeOrder#low low} number was created.
     *
     * @param numberAt the index at which its number begins in its path
     */
    public void created(String container, String path, int numberAt) {
        int number = NodeOrder.number(path, numberAt);
        if (NodeOrder.exhausted(number)) {
            if (exhausted.add(container)) {
                LOG.warnf(
                        "ZooKeeper has no more numbers for the nodes of %s: 2147483647 was the last one, and all new nodes get "
                                + "it. Locks here are still exclusive and in order, which costs more requests; Curator's "
                                + "recipes on this path are not. Make sure nobody uses this lock for a moment, so that its "
                                + "container is deleted and the numbers start again",
                        container);
            }
        } else if (number >= HIGH && high.add(container)) {
            LOG.warnf("ZooKeeper has given number %d to a node of %s; 2147483647 will be the last one. The numbers start again "
                    + "when nobody uses this lock for a moment, so that its container is deleted", number, container);
        }
    }

    /** A node with no {@linkplain NodeOrder#low low} number was deleted. */
    public void deleted(ZooKeeper zk, String container, String path) {
        if (high.contains(container) || exhausted.contains(container)) {
            zk.delete(container, -1, (VoidCallback) (rc, asked, ctx) -> {
                // Usually not empty, since it is in use. The next claim finds it or creates it
            }, path);
        }
    }
}
