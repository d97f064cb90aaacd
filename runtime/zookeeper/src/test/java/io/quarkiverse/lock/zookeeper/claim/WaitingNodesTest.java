package io.quarkiverse.lock.zookeeper.claim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;

/** Which node is woken when something happens at a path. */
@DisplayNameGeneration(FaultDisplayNames.class)
class WaitingNodesTest {

    private static final String CONTAINER = "/root/name";

    private final SessionTracker sessions = new SessionTracker(null, ZooKeeperLockOptions.STANDARD, "/root", null, null);
    private final WaitingNodes waiting = new WaitingNodes(sessions, null);

    private PendingClaim claim() {
        return new PendingClaim(sessions, null, null, null, null,
                new Claim("name", 1, 2, LockMode.EXCLUSIVE, 3, 4, true), CONTAINER, CONTAINER + "/node-");
    }

    private ClaimNode node(PendingClaim claim) {
        return new ClaimNode(claim, null, null, null, null, null, waiting);
    }

    /** The first claim's list request was about to be sent on another thread. */
    @Test
    @Fault(372)
    void fault372_withdrawnClaimDoesNotReplaceTheNextOne() {
        PendingClaim withdrawn = claim();
        ClaimNode before = node(withdrawn);
        withdrawn.cancel();
        ClaimNode next = node(claim());
        waiting.add(CONTAINER, next);
        waiting.add(CONTAINER, before);
        waiting.remove(CONTAINER, before);
        assertThat(waiting.count()).isEqualTo(1);
        waiting.remove(CONTAINER, next);
        assertThat(waiting.count()).isZero();
    }

    @Test
    void nextClaimReplacesAWithdrawnOne() {
        PendingClaim withdrawn = claim();
        ClaimNode before = node(withdrawn);
        waiting.add(CONTAINER, before);
        withdrawn.cancel();
        waiting.add(CONTAINER, node(claim()));
        waiting.remove(CONTAINER, before);
        assertThat(waiting.count()).isEqualTo(1);
    }
}
