package io.quarkiverse.lock.zookeeper.query;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;

import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;

/** Does something to the node of each holder of a name; the answer is whether it was done to at least one. */
abstract class HolderAction extends HolderQuery<Boolean> {

    private boolean any;
    private int open;

    HolderAction(SessionTracker sessions, Timers timers, ErrorMessages errors, NodeOrder order, String name,
            String container) {
        super(sessions, timers, errors, order, name, container);
    }

    /** Starts the action; it ends with a call of {@link #outcome} on the event thread of the session. */
    abstract void begin(Session session, String path);

    /** The action is done. */
    abstract void done(String path);

    @Override
    final Boolean nothing() {
        return false;
    }

    @Override
    final void found(Session session, List<String> holding, List<String> inLine) {
        open = holding.size();
        if (open == 0) {
            answer(false);
        }
        for (String each : holding) {
            begin(session, container + '/' + each);
        }
    }

    /** A node that has gone meanwhile does not count. */
    final void outcome(int rc, String path) {
        if (rc == Code.OK.intValue()) {
            any = true;
            done(path);
        } else if (rc != Code.NONODE.intValue()) {
            failed(rc, path);
            return;
        }
        if (--open == 0) {
            answer(any);
        }
    }
}
