package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.NodeRoom;
import io.quarkiverse.lock.zookeeper.session.Session;

/**
 * A session's end deletes all its nodes in one transaction, which names them all. The servers write one that is too long for
 * them to read.
 */
class SessionRoomTest extends ZooKeeperTest {

    private static final Duration SESSION = Duration.ofSeconds(60);
    /** Of the maximum length, with nine bytes for each of its characters. */
    private static final String LONG_NAME = "\u9396".repeat(1024);

    private static NodeRoom room(Jvm jvm) {
        Session session = jvm.backend.parts().sessions().usable();
        return session == null ? null : session.room();
    }

    /** What is counted equals what the servers have. */
    private static void assertExact(Jvm jvm, int nodes) {
        Await.until(nodes + " nodes, all of them counted", SOON, () -> {
            List<String> paths = nodesOf(jvm);
            NodeRoom room = room(jvm);
            return room != null && paths.size() == nodes && room.taken() == paths.stream()
                    .mapToLong(path -> path.getBytes(StandardCharsets.UTF_8).length + 4).sum();
        });
    }

    private static List<String> nodesOf(Jvm jvm) throws InterruptedException {
        try {
            return jvm.zk().getEphemerals();
        } catch (KeeperException e) {
            return List.of("unknown: " + e);
        }
    }

    @Test
    @Fault(436)
    void fault436_serversRestartAfterASessionWithLongNamesEnds() {
        var own = opened(ZooKeeperServer.start());
        Jvm jvm = jvm(own.connectString(), SESSION);
        String refused = null;
        int held = 0;
        while (held < 230 && refused == null) {
            try {
                jvm.grant(held + LONG_NAME.substring(String.valueOf(held).length()));
                held++;
            } catch (LockBackendException e) {
                refused = e.getMessage();
            }
        }
        ZooKeeperServer.expire(jvm.zk(), own.connectString());
        assertThat(CompletableFuture.runAsync(own::restart, threads)).as("its start").succeedsWithin(Duration.ofMinutes(1));
        Jvm other = jvm(own.connectString(), SESSION);
        other.release(other.grant("0" + LONG_NAME.substring(1)));
        assertThat(refused).as("the first one too many").contains("1572862 bytes", "jute.maxbuffer",
                "zookeeper.closeSessionTxn.enabled=false");
        assertThat(held).isGreaterThan(160);
    }

    @Test
    @Fault(436)
    void fault436_deletedNodeFreesItsRoom() throws Exception {
        Jvm jvm = jvm();
        Jvm other = jvm();
        ZooKeeperGrant first = jvm.grant("first");
        ZooKeeperGrant second = jvm.grant("gr\u00f6\u00dfe");
        assertExact(jvm, 2);
        jvm.release(first);
        assertExact(jvm, 1);
        assertThat(jvm.ask("gr\u00f6\u00dfe")).isInstanceOf(Busy.class);
        assertExact(jvm, 1);
        ZooKeeperGrant elsewhere = other.grant("elsewhere");
        Jvm.Waiting waiting = jvm.claim("elsewhere");
        assertExact(jvm, 2);
        waiting.cancel();
        assertExact(jvm, 1);
        Jvm.Waiting deleted = jvm.claim("elsewhere");
        assertExact(jvm, 2);
        deleteNode(root + "/elsewhere/" + nodeBehind(elsewhere));
        other.release(elsewhere);
        ZooKeeperGrant again = deleted.grant();
        assertExact(jvm, 2);
        jvm.release(again);
        assertExact(jvm, 1);
        assertThat(Jvm.get(other.backend.forceRelease("gr\u00f6\u00dfe"))).isTrue();
        Await.until("it is lost", SOON, () -> jvm.told.lost.containsKey(second));
        assertExact(jvm, 0);
        ZooKeeperGrant third = jvm.grant("third");
        deleteNode(third.path());
        jvm.renew(third);
        assertExact(jvm, 0);
        ZooKeeperGrant brief = jvm.grant("brief");
        brief.leaseNanos(Duration.ofMillis(200).toNanos());
        jvm.backend.shorten(brief).subscribe().with(ignored -> {
        });
        Await.until("its lease is over", SOON, () -> jvm.told.lost.containsKey(brief));
        assertExact(jvm, 0);
    }

    @Test
    @Fault(436)
    void fault436_failedCreationFreesItsRoom() throws Exception {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("first"));
        store.setACL().withACL(List.of(new ACL(ZooDefs.Perms.ALL & ~ZooDefs.Perms.CREATE, ZooDefs.Ids.ANYONE_ID_UNSAFE)))
                .forPath(root + "/first");
        assertThat(failure(() -> jvm.grant("first"))).isInstanceOf(LockBackendException.class);
        store.setACL().withACL(List.of(new ACL(ZooDefs.Perms.ALL & ~ZooDefs.Perms.CREATE, ZooDefs.Ids.ANYONE_ID_UNSAFE)))
                .forPath(root);
        assertThat(failure(() -> jvm.grant("second"))).isInstanceOf(LockBackendException.class);
        assertExact(jvm, 0);
    }

    @Test
    @Fault(436)
    void fault436_countStaysExactWhenRepliesAreLost() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy, SESSION);
        jvm.release(jvm.grant("order-42"));
        for (int i = 0; i < 3; i++) {
            proxy.dropReplyTo("/order-42/_c_");
            ZooKeeperGrant grant = jvm.grant("order-42");
            assertExact(jvm, 1);
            proxy.dropReplyTo(grant.node());
            assertThat(jvm.backend.release(grant).subscribeAsCompletionStage()).failsWithin(SOON);
            assertExact(jvm, 0);
            proxy.dropReplies();
            Jvm.Waiting waiting = jvm.claim("order-42", LockMode.EXCLUSIVE, true);
            awaitNodes("order-42", 1);
            waiting.cancel();
            proxy.pass();
            assertExact(jvm, 0);
        }
    }

    @Test
    @Fault(436)
    void fault436_newSessionCountsOnlyItsOwnNodes() {
        Jvm jvm = jvm();
        ZooKeeperGrant held = jvm.grant("held");
        Jvm other = jvm();
        other.grant("elsewhere");
        jvm.claim("elsewhere");
        assertExact(jvm, 2);
        ZooKeeperServer.expire(jvm.zk(), server.connectString());
        Await.until("it is lost", SOON, () -> jvm.told.lost.containsKey(held));
        assertExact(jvm, 1);
        assertThat(failure(() -> jvm.release(held))).isInstanceOf(LockLostException.class);
        assertExact(jvm, 1);
    }

    /** The servers see the nodes with the path in the connect string. */
    @Test
    void connectStringPathCountsTowardsTheRoom() throws Exception {
        store.create().forPath(root);
        store.create().forPath(root + "/\u00fcber");
        Jvm plain = jvm();
        Jvm above = jvm(server.connectString() + root + "/\u00fcber", SESSION);
        plain.grant("name");
        above.grant("name");
        assertThat(room(above).taken() - room(plain).taken()).isEqualTo(root.length() + 6);
    }
}
