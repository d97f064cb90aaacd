package io.quarkiverse.lock.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.jboss.logging.Logger;

/**
 * Looks at the numbers of new nodes. The servers count the children of a container, all that it ever had, and stop at the
 * highest number of 31 bits: from then on all nodes get that one. Ours are still in order then, Curator's recipes are not. So
 * it warns while there is time, and has a container that nobody uses begin anew: the servers delete it only if it is empty.
 */
final class SequenceCounterWatch {

    private static final Logger LOG = Logger.getLogger(ZooKeeperLockBackend.class);
    private static final int HIGH = 1 << 30;

    /** Those whose number was high, and those whose number was the last one: few, since it takes so many nodes. */
    private final Set<String> high = ConcurrentHashMap.newKeySet();
    private final Set<String> worn = ConcurrentHashMap.newKeySet();

    /**
     * A node was created.
     *
     * @param numberAt where its number begins in its path
     */
    void created(String container, String path, int numberAt) {
        if (path.charAt(numberAt) == '0') {
            return; // below a thousand million, as nearly all
        }
        int number = NodeOrder.number(path, numberAt);
        if (NodeOrder.worn(number)) {
            if (worn.add(container)) {
                LOG.warnf(
                        "ZooKeeper has no more numbers for the nodes of %s: 2147483647 was the last one, and they all get it. "
                                + "Locks here are still exclusive and in order, which costs more requests; Curator's recipes on this "
                                + "path are not. Let nobody use this lock for a moment, so that its container is deleted and the numbers "
                                + "begin anew",
                        container);
            }
        } else if (number >= HIGH && high.add(container)) {
            LOG.warnf("ZooKeeper has given number %d to a node of %s; 2147483647 will be the last one. The numbers begin anew "
                    + "when nobody uses this lock for a moment, so that its container is deleted", number, container);
        }
    }

    /** A node was deleted. */
    void deleted(Session session, String container, String path) {
        if (high.contains(container) || worn.contains(container)) {
            session.zk().delete(container, -1, (VoidCallback) (rc, asked, ctx) -> {
                // Not empty, as a rule: somebody uses it. Whoever comes next finds it or makes it
            }, path);
        }
    }
}
