package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/**
 * Only the first waiter for a permit looks at all nodes; each of the others is notified by the one before it. A permit that
 * becomes free is still taken, whatever goes wrong on the way.
 */
class WaitersForRoomTest extends ZooKeeperTest {

    private static final String NAME = "export";

    @TempDir
    Path directory;

    /** A JVM, and its requests to the servers. */
    private final class Asking {
        final Requests requests = new Requests();
        final Jvm jvm;

        Asking(String connectString, Duration session) {
            var client = requests.client(connectString, session);
            jvm = opened(new Jvm(client, options(), client::close));
        }

        /** Waits for the node before it, or for all. */
        Jvm.Waiting waiting(int limit, int before) {
            Jvm.Waiting waiting = jvm.counted(NAME, limit);
            awaitNodes(NAME, before + 1);
            awaitWaiting();
            return waiting;
        }

        void awaitWaiting() {
            Await.until("it waits, and knows for whom", SOON, () -> jvm.backend.parts().waiting().count() > 0
                    && (requests.count("watchData") > 0 || requests.count("getChildren") > 1));
        }
    }

    /** It never learns who holds the lock: if the holder were gone when it asks, it would look again without being notified. */
    private Asking asking() {
        var asking = new Asking(server.connectString(), LONG_SESSION);
        asking.requests.drop(request -> request.startsWith("getData ") && request.contains('/' + NAME + '/'));
        return asking;
    }

    /** The holders, in the order of their grants. */
    private List<ZooKeeperGrant> holders(Jvm jvm, int limit) {
        var holders = new ArrayList<ZooKeeperGrant>();
        for (int i = 0; i < limit; i++) {
            holders.add(jvm.counted(NAME, limit).grant());
        }
        return holders;
    }

    /** Without the requests in which long waiters ask for the holder, and without the watch on a node of a long hold. */
    private static List<String> sent(List<Asking> all) {
        return all.stream().flatMap(each -> each.requests.sent().stream())
                .filter(each -> !each.startsWith("getData ") && !each.startsWith("watchData ")).toList();
    }

    @Test
    void releaseCostsFourRequestsForAnyNumberOfWaiters() {
        int limit = 5;
        int releases = 5;
        var holder = asking();
        List<ZooKeeperGrant> holders = holders(holder.jvm, limit);
        List<Asking> all = new ArrayList<>(List.of(holder));
        List<Jvm.Waiting> waiting = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            var next = asking();
            all.add(next);
            waiting.add(next.waiting(limit, limit + i));
        }
        awaitLists(all.get(1), 2);
        awaitQuiet(all);
        for (int i = 0; i < releases; i++) {
            Asking following = all.get(i + 2);
            long lists = following.requests.count("getChildren");
            List<String> before = sent(all);
            holder.jvm.release(holders.get(i));
            waiting.get(i).grant();
            awaitLists(following, lists + 1);
            List<String> more = new ArrayList<>(sent(all));
            before.forEach(more::remove);
            assertThat(more).as("requests for release %d", i).hasSizeLessThanOrEqualTo(4);
        }
        assertThat(all.subList(releases + 2, all.size())).as("those far behind").allSatisfy(each -> {
            assertThat(each.requests.count("getChildren")).as("once, with its node").isEqualTo(1);
        });
    }

    /** Waits until the first waiter has seen all others arrive. */
    private static void awaitQuiet(List<Asking> all) {
        var last = new int[] { -1 };
        Await.until("nobody asks any more", SOON, () -> {
            hearAll(all.get(1).jvm);
            int before = last[0];
            last[0] = sent(all).size();
            return last[0] == before;
        });
    }

    /** Waits for everything that was on its way to the JVM at the time of the call. */
    private static void hearAll(Jvm jvm) {
        try {
            jvm.zk().exists("/", false);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitLists(Asking asking, long count) {
        Await.until(() -> count + " lists, but " + asking.requests.sent(), SOON,
                () -> asking.requests.count("getChildren") >= count);
    }

    @Test
    @Fault(203)
    void fault203_noPermitStaysFreeInAnyReleaseOrder() {
        for (List<Integer> order : List.of(List.of(0, 1, 2), List.of(0, 2, 1), List.of(1, 0, 2), List.of(1, 2, 0),
                List.of(2, 0, 1), List.of(2, 1, 0))) {
            leaveInOrder(order);
            awaitNodes(NAME, 0);
        }
    }

    private void leaveInOrder(List<Integer> order) {
        List<Jvm> jvms = new ArrayList<>();
        List<ZooKeeperGrant> holders = new ArrayList<>();
        List<Jvm.Waiting> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            jvms.add(jvm());
            holders.add(jvms.get(i).counted(NAME, 3).grant());
        }
        for (int i = 0; i < 4; i++) {
            var next = asking();
            jvms.add(next.jvm);
            waiting.add(next.waiting(3, 3 + i));
        }
        for (int i = 0; i < 3; i++) {
            int leaves = order.get(i);
            if (i == 1) { // dies
                ZooKeeperServer.expire(jvms.get(leaves).zk(), server.connectString());
            } else {
                jvms.get(leaves).release(holders.get(leaves));
            }
            holders.add(waiting.get(i).grant());
            assertThat(waiting.get(i + 1).answer).isNotDone();
        }
        jvms.get(4).release(holders.get(4)); // nor does it matter which of those behind them leaves
        holders.add(waiting.get(3).grant());
        for (int i : List.of(3, 5, 6)) {
            jvms.get(i).release(holders.get(i));
        }
        jvms.forEach(each -> each.client.close());
    }

    @Test
    @Fault(203)
    void fault203_permitsFreedTogetherAreAllTaken() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = holders(holder, 3);
        List<Jvm.Waiting> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(asking().waiting(3, 3 + i));
        }
        holders.forEach(each -> holder.backend.release(each).subscribeAsCompletionStage());
        waiting.forEach(Jvm.Waiting::grant);
    }

    /** They all wait behind it, each for its predecessor. */
    @Test
    @Fault(203)
    void fault203_exclusiveReleaseFillsAllPermits() {
        Jvm holder = jvm();
        ZooKeeperGrant alone = holder.grant(NAME);
        List<Asking> all = new ArrayList<>();
        List<Jvm.Waiting> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            var next = asking();
            all.add(next);
            waiting.add(next.waiting(3, 1 + i));
        }
        holder.release(alone);
        for (Jvm.Waiting each : waiting.subList(0, 3)) {
            each.grant();
        }
        assertThat(waiting.get(3).answer).isNotDone();
        all.get(1).jvm.release(waiting.get(1).grant());
        waiting.get(3).grant();
    }

    /** An instance of the previous version has a lower limit, which applies to those behind it while its node exists. */
    @Test
    @Fault(203)
    void fault203_smallestLimitAppliesUntilItsNodeLeaves() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = holders(holder, 3);
        var narrow = asking();
        var few = narrow.waiting(1, 3);
        var more = asking().waiting(3, 4);
        holder.release(holders.get(1));
        holder.release(holders.get(0));
        awaitNodes(NAME, 3);
        assertThat(few.answer).isNotDone();
        assertThat(more.answer).isNotDone();
        few.cancel();
        more.grant();
        holder.release(holders.get(2));
    }

    @Test
    @Fault(200)
    void fault200_newHolderNotifiesTheNextAfterReconnecting() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = holders(holder, 2);
        FaultProxy proxy = proxy();
        var first = new Asking(proxy.host() + ":" + proxy.port(), LONG_SESSION);
        var entering = first.waiting(2, 2);
        var next = asking().waiting(2, 3);
        first.requests.hold(request -> request.startsWith("setData"));
        holder.release(holders.get(0));
        ZooKeeperGrant granted = entering.grant();
        Await.until("it is about to tell", SOON, first.requests::holdsSome);
        proxy.blackhole();
        first.requests.letGo();
        proxy.down();
        Await.until("it knows", SOON, () -> !first.jvm.backend.parts().sessions().connected());
        proxy.pass();
        holder.release(holders.get(1));
        next.grant();
        assertThat(first.jvm.told.lost).isEmpty();
        first.jvm.release(granted);
    }

    @Test
    @Fault(201)
    void fault201_lateWatchSeesThatThePredecessorGotIn() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = holders(holder, 2);
        var first = asking();
        var entering = first.waiting(2, 2);
        var second = asking();
        second.requests.hold(request -> request.startsWith("watchData"));
        Jvm.Waiting next = second.jvm.counted(NAME, 2);
        Await.until("it has listed, and is about to watch", SOON, second.requests::holdsSome);
        holder.release(holders.get(0));
        ZooKeeperGrant granted = entering.grant();
        Await.until("it has told", SOON, () -> version(granted) > 0);
        second.requests.letGo();
        holder.release(holders.get(1));
        next.grant();
    }

    private int version(ZooKeeperGrant grant) {
        try {
            return store.checkExists().forPath(grant.path()).getVersion();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Fault(202)
    void fault202_newHolderThatDiesLeavesItsPermitToTheNext() {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = holders(holder, 2);
        var first = asking();
        var entering = first.waiting(2, 2);
        var next = asking().waiting(2, 3);
        first.requests.hold(request -> request.startsWith("setData")); // for ever
        holder.release(holders.get(0));
        entering.grant();
        Await.until("it is about to tell", SOON, first.requests::holdsSome);
        ZooKeeperServer.expire(first.jvm.zk(), server.connectString());
        next.grant();
    }

    @Test
    @Fault(202)
    void fault202_waiterThatGivesUpLeavesItsPermitToTheNext() throws Exception {
        Jvm holder = jvm();
        for (int i = 0; i < 20; i++) {
            List<ZooKeeperGrant> holders = holders(holder, 2);
            var first = asking();
            var leaving = first.waiting(2, 2);
            var second = asking();
            var next = second.waiting(2, 3);
            var both = threads.submit(leaving::cancel);
            holder.release(holders.get(0));
            both.get();
            Await.until("one of them is in", SOON, () -> leaving.answer.isDone() || next.answer.isDone());
            if (leaving.answer.isDone()) {
                first.jvm.release(leaving.grant()); // it was in before it gave up
            }
            second.jvm.release(next.grant());
            holder.release(holders.get(1));
            awaitNodes(NAME, 0);
            first.jvm.client.close();
            second.jvm.client.close();
        }
    }

    /** Without write permission, a node says in its name that it will not notify others. */
    @Test
    @Fault(204)
    void fault204_waiterWithoutWritePermissionIsNotWaitedFor() throws Exception {
        String identity = "locks:secret";
        var acl = List.of(new ACL(Perms.CREATE | Perms.DELETE | Perms.READ,
                new Id("digest", DigestAuthenticationProvider.generateDigest(identity))));
        byte[] secret = identity.getBytes(StandardCharsets.UTF_8);
        List<Jvm> jvms = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            var client = Clients.started(server.connectString(), LONG_SESSION);
            client.getZookeeperClient().getZooKeeper().addAuthInfo("digest", secret);
            jvms.add(opened(new Jvm(client, options().withAcl(acl), client::close)));
        }
        store.getZookeeperClient().getZooKeeper().addAuthInfo("digest", secret);
        List<ZooKeeperGrant> holders = holders(jvms.get(0), 2);
        List<Jvm.Waiting> waiting = new ArrayList<>();
        for (int i = 1; i < 4; i++) {
            Jvm jvm = jvms.get(i);
            waiting.add(jvm.counted(NAME, 2));
            awaitNodes(NAME, 2 + i);
            Await.until("it waits", SOON, () -> jvm.backend.parts().waiting().count() > 0);
        }
        assertThat(nodes(NAME)).allMatch(node -> node.contains("-quiet-slot-2-"));
        jvms.get(0).release(holders.get(1));
        waiting.get(0).grant();
        jvms.get(0).release(holders.get(0));
        waiting.get(1).grant();
        jvms.get(1).release(waiting.get(0).grant());
        waiting.get(2).grant();
    }

    @Test
    @Fault(205)
    void fault205_releaseRequestSurvivesTheNotification() throws Exception {
        Jvm holder = jvm();
        List<ZooKeeperGrant> holders = holders(holder, 2);
        var first = new Asking(server.connectString(), LONG_SESSION); // reads the notification
        var entering = first.waiting(2, 2);
        var next = asking().waiting(2, 3);
        first.requests.hold(request -> request.startsWith("setData"));
        holder.release(holders.get(0));
        ZooKeeperGrant granted = entering.grant();
        Await.until("it is about to tell", SOON, first.requests::holdsSome);
        assertThat(Jvm.get(jvm().backend.requestRelease(NAME))).isTrue();
        int asked = version(granted);
        first.requests.letGo();
        Await.until("it has told", SOON, () -> version(granted) > asked);
        assertThat(new String(store.getData().forPath(granted.path()), StandardCharsets.UTF_8)).endsWith("__REVOKE__");
        holder.release(holders.get(1));
        next.grant();
    }

    /** Reading the order then takes extra requests, during which the list's watch may fire. */
    @Test
    @Fault(206)
    void fault206_permitFreedWhileReadingTheOrderIsSeen() throws Exception {
        try (var counting = new CountingServer(directory)) {
            Jvm maker = jvm(counting.connectString(), LONG_SESSION);
            maker.release(maker.grant(NAME));
            var looking = opened(Clients.started(counting.connectString(), LONG_SESSION));
            Await.until("the container is empty", SOON, () -> children(looking, NAME).isEmpty());
            counting.count(root + '/' + NAME, Integer.MAX_VALUE);
            List<ZooKeeperGrant> holders = holders(maker, 2);
            var first = new Asking(counting.connectString(), LONG_SESSION);
            // Holds back the read of its own node, in the list with the watch
            first.requests.hold(request -> request.startsWith("exists " + root + '/') && first.requests.count("getChildren") > 1
                    && !request.endsWith(holders.get(0).node()) && !request.endsWith(holders.get(1).node()));
            Jvm.Waiting waiting = first.jvm.counted(NAME, 2);
            Await.until("it has listed again", SOON, first.requests::holdsSome);
            long looked = first.requests.count("exists " + root + '/');
            assertThat(looked).isGreaterThanOrEqualTo(5);
            first.jvm.zk().exists(root, false); // by now the answers about the holders are here
            maker.release(holders.get(1));
            first.jvm.zk().exists(root, false); // and the event after them
            first.requests.letGo();
            waiting.grant();
            closeAll();
        }
    }
}
