package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.Session;

/** The servers have carried out a request, but the reply is lost. */
@Execution(ExecutionMode.CONCURRENT)
class LostReplyTest extends ZooKeeperTest {

    private static final Duration SESSION = Duration.ofSeconds(20);

    @Test
    @Fault({ 7, 43 })
    void fault43_nodeWithLostCreateReplyIsFoundAgain() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        jvm.release(jvm.grant("order-42"));
        for (int i = 0; i < 5; i++) {
            proxy.dropReplyTo("/order-42/_c_");
            ZooKeeperGrant grant = jvm.grant("order-42");
            assertThat(proxy.dropPending()).isFalse();
            assertThat(nodes("order-42")).as("only one node was made").containsExactly(grant.node());
            assertThat(grant.node()).endsWith(String.format("%010d", i + 1));
            assertThat(jvm.renew(grant).renewed()).hasSize(1);
            jvm.release(grant);
            awaitNodes("order-42", 0);
        }
    }

    @Test
    @Fault(43)
    void fault43_nodeOfThePreviousSessionIsNotAdopted() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        jvm.release(jvm.grant("order-42"));
        Session before = jvm.backend.parts().sessions().usable();
        proxy.dropReplyTo("/order-42/_c_");
        var waiting = jvm.claim("order-42");
        Await.until("the reply was dropped", SOON, () -> !proxy.dropPending());
        proxy.down();
        ZooKeeperServer.expire(before.zk(), server.connectString());
        proxy.accept();
        ZooKeeperGrant grant = waiting.grant();
        assertThat(grant.session().id()).isNotEqualTo(before.id());
        assertThat(nodes("order-42")).containsExactly(grant.node());
        assertThat(jvm.renew(grant).renewed()).hasSize(1);
        jvm.release(grant);
    }

    @Test
    @Fault(43)
    void fault43_leftoverNodesOfEarlierSessionsAreNotAdopted() throws Exception {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        jvm.release(jvm.grant("order-42"));
        var claim = Jvm.newClaim("order-42", LockMode.EXCLUSIVE, true);
        String prefix = jvm.backend.paths().prefix(jvm.backend.paths().container("order-42"), claim);
        List<String> earlier = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            earlier.add(store.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(prefix, new byte[0]));
        }
        proxy.dropReplyTo("/order-42/_c_");
        var waiting = jvm.claim(claim);
        Await.until("it waits behind the others", SOON, () -> jvm.backend.parts().waiting().count() > 0);
        assertThat(proxy.dropPending()).isFalse();
        assertThat(nodes("order-42")).as("the earlier ones, and one more").hasSize(6);
        earlier.forEach(this::deleteNode);
        ZooKeeperGrant grant = waiting.grant();
        assertThat(nodes("order-42")).as("only one node was made").containsExactly(grant.node());
        assertThat(jvm.renew(grant).renewed()).hasSize(1);
        jvm.release(grant);
        awaitNodes("order-42", 0);
    }

    @Test
    @Fault({ 7, 43 })
    void fault43_cancelledClaimWithPendingCreateLeavesNothing() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        jvm.release(jvm.grant("order-42"));
        proxy.dropReplies();
        var waiting = jvm.claim("order-42");
        awaitNodes("order-42", 1);
        waiting.cancel();
        proxy.pass();
        awaitNodes("order-42", 0);
        Await.until("nothing is left to do", SOON, () -> jvm.backend.parts().deletes().none());
    }

    @Test
    @Fault(43)
    void fault43_searchLeavesOtherNodesAlone() {
        Jvm other = jvm();
        ZooKeeperGrant held = other.grant("order-42");
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        jvm.release(jvm.grant("other"));
        proxy.dropReplies();
        var waiting = jvm.claim("order-42");
        awaitNodes("order-42", 2);
        waiting.cancel();
        proxy.pass();
        awaitNodes("order-42", 1);
        assertThat(nodes("order-42")).containsExactly(held.node());
        assertThat(other.renew(held).renewed()).hasSize(1);
        other.release(held);
    }

    @Test
    @Fault(8)
    void fault08_timedOutClaimFailsAndLeavesNothing() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        jvm.release(jvm.grant("order-42"));
        proxy.delayReplies(Duration.ofSeconds(3));
        var asking = jvm.claim("order-42", LockMode.EXCLUSIVE, false);
        assertThat(failure(() -> Jvm.get(asking.answer))).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("quarkus.lock.zookeeper.operation-timeout");
        proxy.pass();
        awaitNodes("order-42", 0);
    }

    @Test
    @Fault(44)
    void fault44_failedReleaseIsCompletedAfterReconnect() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        ZooKeeperGrant grant = jvm.grant("order-42");
        releaseInVain(jvm, proxy, grant);
        proxy.accept();
        long healed = System.nanoTime();
        ZooKeeperGrant next = jvm.grant("order-42");
        assertThat(Duration.ofNanos(System.nanoTime() - healed)).as("no waiting for its own old node").isLessThan(
                SESSION.dividedBy(2));
        assertThat(next.fence()).isGreaterThan(grant.fence());
        assertThat(nodes("order-42")).containsExactly(next.node());
        jvm.release(next);
    }

    @Test
    @Fault(332)
    void fault332_failedReleaseIsCompletedDespiteARefusedRoot() throws Exception {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, LONG_SESSION);
        ZooKeeperGrant grant = jvm.grant("order-42");
        releaseInVain(jvm, proxy, grant);
        refuseRoot();
        proxy.accept();
        awaitNodes("order-42", 0);
        assertThat(failure(() -> jvm.ask("order-42"))).isInstanceOf(LockBackendException.class).hasMessageContaining(root);
    }

    @Test
    @Fault(332)
    void fault332_unansweredClaimKeepsItsPlaceDespiteARefusedRoot() throws Exception {
        Jvm other = jvm();
        ZooKeeperGrant held = other.grant("order-42");
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, LONG_SESSION);
        jvm.release(jvm.grant("other"));
        proxy.dropReplies();
        var waiting = jvm.claim("order-42");
        awaitNodes("order-42", 2);
        proxy.down();
        Await.until("the connection is known to be lost", SOON, () -> jvm.backend.parts().sessions().usable() == null);
        Await.during("asked again, to no avail", Duration.ofSeconds(4), () -> !waiting.answer.isDone());
        refuseRoot();
        proxy.pass();
        other.release(held);
        jvm.release(waiting.grant());
        awaitNodes("order-42", 0);
    }

    /** There is no connection, and the leftover node cannot be deleted later either. */
    private static void releaseInVain(Jvm jvm, FaultProxy proxy, ZooKeeperGrant grant) {
        proxy.down();
        Await.until("the connection is known to be lost", SOON, () -> jvm.backend.parts().sessions().usable() == null);
        assertThat(jvm.backend.release(grant).subscribeAsCompletionStage()).failsWithin(SOON);
        Await.until("it is known that something is left", SOON, () -> !jvm.backend.parts().deletes().none());
        Await.during("nor can what is left be deleted", Duration.ofSeconds(4), () -> !jvm.backend.parts().deletes().none());
    }

    /** Nobody may read the root any more, only what lies below it. */
    private void refuseRoot() throws Exception {
        store.setACL().withACL(List.of(new ACL(ZooDefs.Perms.ADMIN, ZooDefs.Ids.ANYONE_ID_UNSAFE))).forPath(root);
    }

    @Test
    @Fault({ 6, 44 })
    void fault44_releaseWithLostReplyDoesNotAffectTheNextHolder() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        Jvm other = jvm();
        for (int i = 0; i < 3; i++) {
            ZooKeeperGrant grant = jvm.grant("order-42");
            proxy.dropReplyTo(grant.node());
            var releasing = jvm.backend.release(grant).subscribeAsCompletionStage();
            ZooKeeperGrant next = other.grant("order-42");
            assertThat(releasing).failsWithin(SOON);
            assertThat(proxy.dropPending()).isFalse();
            Await.until("it is repeated without harm", SOON, () -> {
                try {
                    jvm.release(grant);
                    return true;
                } catch (LockBackendException e) {
                    return false; // the connection is not back yet
                }
            });
            Await.until("nothing is left to do", SOON, () -> jvm.backend.parts().deletes().none());
            assertThat(other.renew(next).renewed()).hasSize(1);
            other.release(next);
        }
    }
}
