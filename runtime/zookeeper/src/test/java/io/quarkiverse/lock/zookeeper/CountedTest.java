package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** Waiters for room under a limit, when something goes wrong meanwhile. */
class CountedTest extends ZooKeeperTest {

    private static final String NAME = "export";

    private Jvm.Waiting waiting(Jvm jvm, int before) {
        Jvm.Waiting waiting = jvm.counted(NAME, 2);
        awaitNodes(NAME, before + 1);
        Await.until("it waits", SOON, () -> watches(jvm));
        return waiting;
    }

    private static boolean watches(Jvm jvm) {
        return jvm.backend.parts().waiting().count() > 0;
    }

    private List<ZooKeeperGrant> full(Jvm jvm) {
        return List.of(jvm.counted(NAME, 2).grant(), jvm.counted(NAME, 2).grant());
    }

    @Test
    void eachReleaseAdmitsOnlyTheNextWaiter() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = new ArrayList<>(full(holder));
        Jvm first = jvm();
        Jvm second = jvm();
        var next = waiting(first, 2);
        var last = waiting(second, 3);
        holder.release(holders.remove(1)); // not the first one
        ZooKeeperGrant granted = next.grant();
        assertThat(last.answer).isNotDone();
        first.release(granted);
        holders.add(last.grant());
        assertThat(holders).extracting(ZooKeeperGrant::fence).doesNotHaveDuplicates();
        holder.release(holders.get(0));
        second.release(holders.get(1));
        awaitNodes(NAME, 0);
    }

    @Test
    void waiterThatGivesUpLeavesNothing() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = full(holder);
        Jvm jvm = jvm();
        var waiting = waiting(jvm, 2);
        waiting.cancel();
        awaitNodes(NAME, 2);
        assertThat(watches(jvm)).isFalse();
        holders.forEach(holder::release);
        awaitNodes(NAME, 0);
    }

    @Test
    void permitFreedDuringADisconnectionIsNoticed() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = full(holder);
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, Duration.ofSeconds(30));
        var waiting = waiting(jvm, 2);
        proxy.down();
        holder.release(holders.get(0));
        awaitNodes(NAME, 2);
        proxy.accept();
        jvm.release(waiting.grant());
        holder.release(holders.get(1));
        awaitNodes(NAME, 0);
    }

    @Test
    void sessionEndMovesAWaiterToTheEndOfTheQueue() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = full(holder);
        Jvm jvm = jvm();
        var waiting = waiting(jvm, 2);
        List<String> before = nodes(NAME);
        ZooKeeperServer.expire(jvm.zk(), server.connectString());
        Await.until("it waits in a new node", SOON, () -> nodes(NAME).size() == 3 && !before.containsAll(nodes(NAME)));
        holder.release(holders.get(0));
        jvm.release(waiting.grant());
        holder.release(holders.get(1));
        awaitNodes(NAME, 0);
    }

    @Test
    void nodeWithLostCreateReplyIsFoundAgain() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, Duration.ofSeconds(20));
        jvm.release(jvm.grant(NAME));
        proxy.dropReplyTo('/' + NAME + "/_c_");
        ZooKeeperGrant grant = jvm.counted(NAME, 2).grant();
        assertThat(proxy.dropPending()).isFalse();
        assertThat(nodes(NAME)).containsExactly(grant.node());
        assertThat(grant.node()).contains("-slot-2-__WRIT__");
        jvm.release(grant);
        awaitNodes(NAME, 0);
    }
}
