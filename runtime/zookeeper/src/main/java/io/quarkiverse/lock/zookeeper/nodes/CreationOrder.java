package io.quarkiverse.lock.zookeeper.nodes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** Reads the {@code czxid} of nodes that their numbers do not order. Costs one request per node, all sent together. */
public final class CreationOrder implements StatCallback {

    /** Continues once the order is known, on the event thread of the session. */
    public interface Next {

        /**
         * @param children the children that still exist
         * @param czxids of the nodes that their numbers do not order
         */
        void ordered(List<String> children, Map<String, Long> czxids);

        /** The order could not be read. */
        void unordered(int rc, String path);
    }

    private final List<String> children;
    private final Next next;
    private final Map<String, Long> czxids = new HashMap<>();
    private int open;
    private int failure;
    private String failedPath = "";

    private CreationOrder(List<String> children, int open, Next next) {
        this.children = new ArrayList<>(children);
        this.open = open;
        this.next = next;
    }

    /** @param unnumbered the children that their numbers do not order; not empty */
    static void read(ZooKeeper zk, String container, List<String> children, List<String> unnumbered, Next next) {
        var reading = new CreationOrder(children, unnumbered.size(), next);
        for (String child : unnumbered) {
            zk.exists(container + '/' + child, false, reading, child);
        }
    }

    @Override
    public void processResult(int rc, String path, Object child, Stat stat) {
        if (rc == Code.OK.intValue()) {
            czxids.put((String) child, stat.getCzxid());
        } else if (rc == Code.NONODE.intValue()) {
            children.remove(child);
        } else {
            failure = rc;
            failedPath = path;
        }
        if (--open > 0) {
            return;
        }
        if (failure == 0) {
            next.ordered(children, czxids);
        } else {
            next.unordered(failure, failedPath);
        }
    }
}
