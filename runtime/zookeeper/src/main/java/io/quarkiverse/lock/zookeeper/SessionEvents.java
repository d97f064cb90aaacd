package io.quarkiverse.lock.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** What becomes of the session, for all that lives in it; and the nodes whose last question had no answer meanwhile. */
final class SessionEvents implements SessionTracker.User {

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(20);

    private final ZooKeeperLockBackend backend;
    private final Set<ClaimNode> open = ConcurrentHashMap.newKeySet();

    SessionEvents(ZooKeeperLockBackend backend) {
        this.backend = backend;
    }

    /** To be resumed when the connection is back, or when its session is known to be over. */
    void add(ClaimNode node) {
        open.add(node);
        Session session = node.session();
        if ((session.over() || backend.link().usable() == session) && open.remove(node)) {
            backend.later(SOON, node::resume);
        }
    }

    /** It does not want to be resumed any more. */
    void remove(ClaimNode node) {
        open.remove(node);
    }

    @Override
    public void disconnected() {
        backend.grants().suspectAll();
    }

    @Override
    public void shortened(Session session) {
        backend.grants().shortened(session);
    }

    @Override
    public void reconnected(Session session) {
        backend.leftovers().reconnected(session);
        for (ClaimNode each : open) {
            if (open.remove(each)) {
                each.resume();
            }
        }
        for (ClaimNode each : backend.watches().waiting()) {
            each.reconnected(session);
        }
        backend.listener().recheck();
    }

    @Override
    public void ended(Session session) {
        backend.leftovers().ended(session);
        backend.grants().ended(session);
        for (ClaimNode each : open) {
            if (each.session() == session && open.remove(each)) {
                each.resume();
            }
        }
        for (ClaimNode each : backend.watches().waiting()) {
            if (each.session() == session) {
                each.resume();
            }
        }
    }

    @Override
    public void later(long nanos, Runnable task) {
        backend.later(nanos, task);
    }
}
