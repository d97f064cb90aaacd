package io.quarkiverse.lock.zookeeper;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * Reads when the nodes of a list were created, by their {@code czxid}, where their numbers do not say who came first. It costs
 * a request for each of these nodes, all sent together.
 */
final class CreationOrder implements StatCallback {

    /** Goes on where the order is known; on the event thread of the session. */
    interface Next {

        /**
         * @param children those that are still there
         * @param czxids of those whose numbers do not order them
         */
        void ordered(List<String> children, Map<String, Long> czxids);

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

    /** @param unnumbered those of the children to ask for, at least one */
    static void read(Session session, String container, List<String> children, List<String> unnumbered, Next next) {
        var order = new CreationOrder(children, unnumbered.size(), next);
        for (String child : unnumbered) {
            session.zk().exists(container + '/' + child, false, order, child);
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
