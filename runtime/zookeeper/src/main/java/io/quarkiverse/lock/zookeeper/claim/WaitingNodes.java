package io.quarkiverse.lock.zookeeper.claim;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionEvents;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * The waiting nodes of this JVM: by the path that each of them watches, and those whose last request got no answer.
 * <p>
 * This is the watcher of all of them. ZooKeeper keeps equal watchers once per path, so nodes that stop waiting behind the same
 * node leave at most one watch there, which goes with the node.
 */
public final class WaitingNodes implements Watcher, SessionEvents {

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long BUSY = TimeUnit.MILLISECONDS.toNanos(50);

    private final SessionTracker sessions;
    private final Timers timers;
    private final ConcurrentMap<String, ClaimNode> byWatchedPath = new ConcurrentHashMap<>();
    private final Set<ClaimNode> unanswered = ConcurrentHashMap.newKeySet();

    public WaitingNodes(SessionTracker sessions, Timers timers) {
        this.sessions = sessions;
        this.timers = timers;
    }

    /**
     * Notifies the node when the one at this path, or anything below that, changes or goes. Only one node waits at a path: the
     * engine makes one waiting claim per name, and only readers would wait for the same node. But another thread may still act
     * for a node that is no longer needed, while the next claim of the name already waits.
     */
    void add(String path, ClaimNode node) {
        byWatchedPath.compute(path, (same, present) -> node.over() ? present : node); // in one step with the question
    }

    void remove(String path, ClaimNode node) {
        byWatchedPath.remove(path, node);
    }

    /** How many nodes watch something. */
    public int count() {
        return byWatchedPath.size();
    }

    @Override
    public void process(WatchedEvent event) {
        String path = event.getPath();
        ClaimNode waiting = path == null ? null : byWatchedPath.get(path); // without a path it is an event of the session
        if (waiting == null) {
            return;
        }
        if (event.getType() == Event.EventType.NodeDeleted) {
            waiting.predecessorGone();
        } else {
            waiting.look();
        }
    }

    // --- requests without an answer

    /** Resumes the node when the connection is back, or when its session is known to be over. */
    void resumeLater(ClaimNode node) {
        unanswered.add(node);
        Session session = node.session();
        if ((session.over() || sessions.usable() == session) && unanswered.remove(node)) {
            timers.later(SOON, node::resume);
        }
    }

    /** No longer resumes the node. */
    void forget(ClaimNode node) {
        unanswered.remove(node);
    }

    void later(long nanos, Runnable task) {
        timers.later(nanos, task);
    }

    /** The servers are busy: lists the container a little later. */
    void listLater(ClaimNode node) {
        timers.later(BUSY, node::list);
    }

    // --- what becomes of the session

    @Override
    public void reconnected(Session session) {
        for (ClaimNode each : unanswered) {
            if (unanswered.remove(each)) {
                each.resume();
            }
        }
        for (ClaimNode each : byWatchedPath.values()) {
            each.reconnected(session);
        }
    }

    @Override
    public void ended(Session session) {
        for (ClaimNode each : unanswered) {
            if (each.session() == session && unanswered.remove(each)) {
                each.resume();
            }
        }
        for (ClaimNode each : byWatchedPath.values()) {
            if (each.session() == session) {
                each.resume();
            }
        }
    }
}
