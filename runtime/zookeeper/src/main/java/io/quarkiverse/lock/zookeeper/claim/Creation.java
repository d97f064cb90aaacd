package io.quarkiverse.lock.zookeeper.claim;

import org.apache.zookeeper.KeeperException.Code;

import io.quarkiverse.lock.zookeeper.errors.ReplyCodes;

/** What is known about the creation of a claim's node, and of its container. Changed on the event thread of the session. */
final class Creation {

    enum State {
        UNKNOWN,
        DONE,
        NO_ROOT,
        NO_CONTAINER,
        NO_REPLY,
        REFUSED;

        /** Whether there certainly is no node. */
        boolean certainlyNot() {
            return this == NO_ROOT || this == NO_CONTAINER || this == REFUSED;
        }
    }

    private volatile State state = State.UNKNOWN;
    private int refusal;
    private String refusedPath = "";

    State state() {
        return state;
    }

    void begins() {
        state = State.UNKNOWN;
    }

    void done() {
        state = State.DONE;
    }

    /** The node was not created. */
    void failed(int rc, String asked) {
        if (state == State.REFUSED || state == State.NO_ROOT) {
            return; // the node has failed with its container
        }
        if (rc == Code.NONODE.intValue()) {
            state = State.NO_CONTAINER;
        } else if (rc == Code.NODEEXISTS.intValue()) {
            state = State.NO_REPLY; // a node of an earlier session has the last number, too
        } else {
            refused(rc, asked);
        }
    }

    void containerAnswered(int rc, String asked) {
        if (rc == Code.NONODE.intValue()) {
            state = State.NO_ROOT;
        } else if (rc != Code.OK.intValue() && rc != Code.NODEEXISTS.intValue()) {
            refused(rc, asked);
        }
    }

    private void refused(int rc, String asked) {
        refusal = rc;
        refusedPath = asked;
        state = ReplyCodes.connectionLost(rc) || ReplyCodes.busy(rc) ? State.NO_REPLY : State.REFUSED;
    }

    /** Why; relevant if {@link State#REFUSED}. */
    int refusal() {
        return refusal;
    }

    String refusedPath() {
        return refusedPath;
    }
}
