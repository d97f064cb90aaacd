package io.quarkiverse.lock.zookeeper.claim;

import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.session.Session;

/** Makes the nodes of claims. */
public final class ClaimNodes {

    private final NodeRequests requests;
    private final NodeOrder order;
    private final GrantDecision decision;
    private final WaitingNodes waiting;

    public ClaimNodes(NodeRequests requests, NodeOrder order, GrantDecision decision, WaitingNodes waiting) {
        this.requests = requests;
        this.order = order;
        this.decision = decision;
        this.waiting = waiting;
    }

    ClaimNode next(PendingClaim pending, Session session) {
        return new ClaimNode(pending, session, requests, order, decision, waiting);
    }
}
