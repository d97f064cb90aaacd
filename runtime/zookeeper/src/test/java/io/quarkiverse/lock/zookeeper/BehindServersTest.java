package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** A server lags behind the others, does not know the container yet, and is too busy to ask the leader. */
class BehindServersTest extends ZooKeeperTest {

    private final AtomicBoolean behind = new AtomicBoolean();
    private final AtomicBoolean loses = new AtomicBoolean();
    private final AtomicBoolean answersFirstList = new AtomicBoolean();
    private final AtomicInteger lists = new AtomicInteger();

    private Jvm behind() {
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs((int) LONG_SESSION.toMillis()).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> new Client(servers, timeout, watcher)).build());
        client.start();
        Jvm jvm = opened(new Jvm(client, options(), () -> {
        }));
        jvm.release(jvm.grant("order-42"));
        return jvm;
    }

    @Test
    @Fault(549)
    void fault549_heldNameIsNotReportedAsFree() {
        Jvm jvm = behind();
        Jvm other = jvm();
        ZooKeeperGrant held = other.grant("order-42");
        behind.set(true);
        assertThat(failure(() -> jvm.backend.inspect("order-42").await().atMost(SOON)))
                .isInstanceOf(LockBackendException.class);
        behind.set(false);
        assertThat(jvm.backend.inspect("order-42").await().atMost(SOON)).isPresent();
        other.release(held);
    }

    @Test
    void throttledServerDoesNotFailReadiness() {
        Jvm jvm = behind();
        behind.set(true);
        jvm.backend.ready("order-42").await().atMost(SOON);
        assertThat(failure(() -> jvm.backend.inspect("order-42").await().atMost(SOON)))
                .hasMessageContaining("throttled").message().doesNotContain("connection");
    }

    @Test
    @Fault(549)
    void fault549_claimWithLostCreateReplyMakesNoSecondNode() {
        makesNoSecondNode();
    }

    /** The reply to the creation was lost with its connection, and the list went to the next one. */
    @Test
    @Fault(549)
    void fault549_noSecondNodeWhenTheFirstListIsAnswered() {
        answersFirstList.set(true);
        makesNoSecondNode();
    }

    private void makesNoSecondNode() {
        Jvm jvm = behind();
        behind.set(true);
        loses.set(true);
        Jvm.Waiting waiting = jvm.claim("order-42");
        Await.until("it has looked for its node", SOON, () -> lists.get() >= 2);
        behind.set(false);
        ZooKeeperGrant grant = waiting.grant();
        assertThat(nodes("order-42")).as("only one node was made").containsExactly(grant.node());
        jvm.release(grant);
        awaitNodes("order-42", 0);
    }

    @Test
    @Fault(549)
    void fault549_orphanedNodeIsDeletedOnceSeen() {
        Jvm jvm = behind();
        behind.set(true);
        loses.set(true);
        Jvm.Waiting waiting = jvm.claim("order-42", LockMode.EXCLUSIVE, true);
        awaitNodes("order-42", 1);
        Await.until("it has looked for its node", SOON, () -> lists.get() >= 1);
        waiting.cancel();
        int before = lists.get();
        Await.until("the node is looked for again", SOON, () -> lists.get() >= before + 2);
        behind.set(false);
        awaitNodes("order-42", 0);
        Await.until("nothing is left to delete", SOON, () -> jvm.backend.parts().deletes().none());
    }

    private final class Client extends ZooKeeper {

        Client(String servers, int timeout, Watcher watcher) throws IOException {
            super(servers, timeout, watcher);
        }

        /** Answers in the order of the requests, on the event thread. */
        private void answer(Runnable answer) {
            super.exists("/", false, (StatCallback) (rc, path, context, stat) -> answer.run(), null);
        }

        @Override
        public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback, Object context) {
            boolean lost = loses.getAndSet(false);
            super.create(path, data, acl, mode, !lost ? callback
                    : (rc, asked, ctx, name, stat) -> callback
                            .processResult(Code.CONNECTIONLOSS.intValue(), asked, ctx, null, null),
                    context);
        }

        @Override
        public void sync(String path, VoidCallback callback, Object context) {
            if (behind.get()) {
                answer(() -> callback.processResult(Code.THROTTLEDOP.intValue(), path, context));
            } else {
                super.sync(path, callback, context);
            }
        }

        @Override
        public void getChildren(String path, Watcher watcher, ChildrenCallback callback, Object context) {
            if (behind.get() && path.endsWith("/order-42")) {
                // lost with the connection, like the reply to the creation
                boolean first = context == null && lists.get() == 0 && !answersFirstList.get();
                answer(() -> {
                    callback.processResult((first ? Code.CONNECTIONLOSS : Code.NONODE).intValue(), path, context, null);
                    lists.incrementAndGet();
                });
            } else {
                super.getChildren(path, watcher, callback, context);
            }
        }
    }
}
