package io.quarkiverse.lock.zookeeper;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * All watches of a backend are this one. ZooKeeper keeps an equal watcher once for each node, so those who stop waiting behind
 * the same node leave one watch there at the most, and that goes with the node.
 */
final class NodeWatches implements Watcher {

    private final HeldGrants grants;
    private final ConcurrentMap<String, ClaimNode> behind = new ConcurrentHashMap<>();

    NodeWatches(HeldGrants grants) {
        this.grants = grants;
    }

    /**
     * To be told when the node of this path, or what is below it, has changed or gone. One waits at a path: the engine makes
     * one waiting claim for a name, and only readers would wait for the same node.
     */
    void add(String path, ClaimNode waiting) {
        behind.put(path, waiting);
    }

    void remove(String path, ClaimNode waiting) {
        behind.remove(path, waiting);
    }

    Iterable<ClaimNode> waiting() {
        return behind.values();
    }

    @Override
    public void process(WatchedEvent event) {
        String path = event.getPath();
        if (path == null) {
            return; // the session's own news come another way
        }
        if (event.getType() == Event.EventType.NodeChildrenChanged) {
            grants.childrenChanged(path);
        }
        if (event.getType() == Event.EventType.NodeDataChanged) {
            grants.changed(path);
        }
        ClaimNode waiting = behind.get(path);
        if (waiting != null) {
            waiting.look();
        }
        if (event.getType() == Event.EventType.NodeDeleted) {
            grants.deleted(path);
        }
    }
}
