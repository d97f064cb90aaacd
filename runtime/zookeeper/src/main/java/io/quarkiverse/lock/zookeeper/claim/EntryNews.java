package io.quarkiverse.lock.zookeeper.claim;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.zookeeper.errors.ReplyCodes;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionEvents;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/**
 * Tells the waiter right behind a node with a limit that this node has got in: rewrites the node's data, unchanged, which the
 * next node watches. After each lost connection it writes again, until the servers have answered or the node has gone, which
 * the next node notices as well.
 */
public final class EntryNews implements SessionEvents, StatCallback, DataCallback {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(50);

    private final SessionTracker sessions;
    private final Timers timers;
    /** The writes without an answer, by the path of the node. */
    private final ConcurrentMap<String, Session> unanswered = new ConcurrentHashMap<>();

    public EntryNews(SessionTracker sessions, Timers timers) {
        this.sessions = sessions;
        this.timers = timers;
    }

    /** @param data the data that the node was created with */
    void tell(Session session, String path, byte[] data) {
        session.zk().setData(path, data, 0, this, session);
    }

    /** Somebody may have written a release request, which must stay. */
    private void tellAgain(Session session, String path) {
        session.zk().getData(path, false, this, session);
    }

    @Override
    public void processResult(int rc, String path, Object session, byte[] data, Stat stat) {
        if (rc == Code.OK.intValue()) {
            ((Session) session).zk().setData(path, data, stat.getVersion(), this, session);
        } else {
            failed(rc, path, (Session) session);
        }
    }

    @Override
    public void processResult(int rc, String path, Object session, Stat stat) {
        if (rc == Code.BADVERSION.intValue()) {
            tellAgain((Session) session, path);
        } else if (rc != Code.OK.intValue()) {
            failed(rc, path, (Session) session);
        }
    }

    private void failed(int rc, String path, Session session) {
        if (ReplyCodes.connectionLost(rc)) {
            unanswered.put(path, session);
            if (session.over() || sessions.usable() == session) { // known already, or about to be
                timers.later(AGAIN, () -> resume(path, session));
            }
        } else if (ReplyCodes.busy(rc)) {
            timers.later(AGAIN, () -> tellAgain(session, path));
        } else if (rc != Code.NONODE.intValue()) {
            LOG.debugf("Could not notify the next in line that %s has got in: %s", path, Code.get(rc));
        }
    }

    private void resume(String path, Session session) {
        if (unanswered.remove(path, session) && !session.over()) {
            tellAgain(session, path);
        }
    }

    @Override
    public void reconnected(Session session) {
        unanswered.forEach((path, of) -> {
            if (of == session) {
                resume(path, session);
            }
        });
    }

    @Override
    public void ended(Session session) {
        unanswered.values().removeIf(of -> of == session);
    }
}
