package io.quarkiverse.lock.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** The connection is lost at one creation, and at the next: the servers received the second, but not the first. */
class LostRepliesTest extends ZooKeeperTest {

    @Test
    @Fault({ 7, 43 })
    void fault43_claimAbandonedBetweenTwoLostRepliesLeavesNoNode() throws Exception {
        var givenUp = new CompletableFuture<Jvm.Waiting>();
        var creations = new AtomicInteger(Integer.MIN_VALUE);
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs((int) Duration.ofSeconds(60).toMillis()).retryPolicy(new RetryOneTime(100))
                .ensembleTracker(false).zookeeperFactory((address, timeout, watcher,
                        readOnly) -> new Unheard(address, timeout, watcher, creations, () -> Jvm.get(givenUp).cancel()))
                .build());
        client.start();
        Jvm jvm = opened(new Jvm(client, options(), () -> {
        }));
        jvm.release(jvm.grant("order-42"));
        awaitNodes("order-42", 0);
        var claim = Jvm.newClaim("order-42", LockMode.EXCLUSIVE, true);
        String prefix = jvm.backend.paths().prefix(jvm.backend.paths().container("order-42"), claim);
        store.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(prefix, new byte[0]); // of an earlier session
        creations.set(0);
        givenUp.complete(jvm.claim(claim));
        Await.until("another one was made", SOON, () -> creations.get() == 2);
        awaitNodes("order-42", 0);
        Await.until("nothing is left to do", SOON, () -> jvm.backend.parts().deletes().none());
    }

    /** A client without a reply to two creations, and with something that happens in between. */
    private static final class Unheard extends ZooKeeper {

        private final AtomicInteger creations;
        private final Runnable between;

        Unheard(String address, int timeout, Watcher watcher, AtomicInteger creations, Runnable between)
                throws IOException {
            super(address, timeout, watcher);
            this.creations = creations;
            this.between = between;
        }

        @Override
        public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback, Object ctx) {
            if (creations.get() == 0) {
                super.exists("/", false, (StatCallback) (rc, asked, c, stat) -> lost(path, callback, ctx), null);
            } else if (creations.get() == 1) {
                super.create(path, data, acl, mode, (Create2Callback) (rc, p, c, name, stat) -> lost(path, callback, ctx),
                        ctx);
            } else {
                super.create(path, data, acl, mode, callback, ctx);
            }
        }

        private void lost(String path, Create2Callback callback, Object ctx) {
            callback.processResult(Code.CONNECTIONLOSS.intValue(), path, ctx, null, null);
            creations.incrementAndGet();
        }

        @Override
        public void exists(String path, boolean watch, StatCallback callback, Object ctx) {
            if (creations.get() == 1) {
                between.run();
            }
            super.exists(path, watch, callback, ctx);
        }
    }
}
