package io.quarkiverse.lock.zookeeper.claim;

import org.apache.zookeeper.KeeperException.Code;

import io.quarkiverse.lock.zookeeper.errors.ReplyCodes;

/** What is known about the creation of a claim's node, and of its container. Changed on the event thread of the session. */
final class Creation {

    private volatile Created state = Created.UNKNOWN;
    private int refusal;
    private String refusedPath = "";

    Created state() {
        return state;
    }

    void begins() {
        state = Created.UNKNOWN;
    }

    void done() {
        state = Created.YES;
    }

    /** The node was not created. */
    void failed(int rc, String asked) {
        if (state == Created.REFUSED || state == Created.NO_ROOT) {
            return; // the node has failed with its container
        }
        if (rc == Code.NONODE.intValue()) {
            state = Created.NO_CONTAINER;
        } else if (rc == Code.NODEEXISTS.intValue()) {
            state = Created.NO_REPLY; // a node of an earlier session has the last number, too
        } else {
            refused(rc, asked);
        }
    }

    void containerAnswered(int rc, String asked) {
        if (rc == Code.NONODE.intValue()) {
            state = Created.NO_ROOT;
        } else if (rc != Code.OK.intValue() && rc != Code.NODEEXISTS.intValue()) {
            refused(rc, asked);
        }
    }

    private void refused(int rc, String asked) {
        refusal = rc;
        refusedPath = asked;
        state = ReplyCodes.connectionLost(rc) || ReplyCodes.busy(rc) ? Created.NO_REPLY : Created.REFUSED;
    }

    /** Why; relevant if {@link Created#REFUSED}. */
    int refusal() {
        return refusal;
    }

    String refusedPath() {
        return refusedPath;
    }
}
