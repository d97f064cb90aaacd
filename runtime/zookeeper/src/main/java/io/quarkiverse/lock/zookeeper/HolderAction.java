package io.quarkiverse.lock.zookeeper;

import java.util.List;
import java.util.Map;

import org.apache.zookeeper.KeeperException.Code;

/** Does something to the node of each who holds a name; the answer is whether there was one that it could be done to. */
abstract class HolderAction extends HolderQuery<Boolean> {

    private boolean some;
    private int open;

    HolderAction(ZooKeeperLockBackend backend, String name) {
        super(backend, name);
    }

    /** Begins with it; ends with {@link #outcome}, which for all of them comes on the event thread of the session. */
    abstract void begin(Session session, String path);

    /** It is done. */
    abstract void did(String path);

    @Override
    final Boolean nothing() {
        return false;
    }

    @Override
    final void found(Session session, List<String> children, Map<String, Long> czxids) {
        List<String> holding = backend.line().holders(children, czxids);
        open = holding.size();
        if (open == 0) {
            answer(false);
        }
        for (String each : holding) {
            begin(session, container + '/' + each);
        }
    }

    /** One that has gone meanwhile does not count. */
    final void outcome(int rc, String path) {
        if (rc == Code.OK.intValue()) {
            some = true;
            did(path);
        } else if (rc != Code.NONODE.intValue()) {
            failed(rc, path);
            return;
        }
        if (--open == 0) {
            answer(some);
        }
    }
}
