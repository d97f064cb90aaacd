package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** A server that is cut off from the others answers reads only, to clients that may be read-only, and refuses the rest. */
class ReadOnlyServersTest extends ZooKeeperTest {

    private final AtomicBoolean readOnly = new AtomicBoolean();
    private final AtomicInteger refused = new AtomicInteger();
    private final Set<String> kinds = ConcurrentHashMap.newKeySet();

    private Jvm jvm(FaultProxy proxy) {
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(proxy.host() + ":" + proxy.port())
                .sessionTimeoutMs((int) LONG_SESSION.toMillis()).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .zookeeperFactory((servers, timeout, watcher, ignored) -> new Client(servers, timeout, watcher)).build());
        client.start();
        return opened(new Jvm(client, options(), () -> {
        }));
    }

    @Test
    @Fault(370)
    void fault370_nodeIsDeletedOnceServersAreWritable() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy);
        ZooKeeperGrant grant = jvm.grant("order-42");
        readOnly.set(true);
        var releasing = jvm.backend.release(grant).subscribeAsCompletionStage();
        Await.until("it was refused", SOON, () -> refused.get() > 0);
        assertThat(jvm.backend.parts().deletes().none()).isFalse();
        readOnly.set(false);
        proxy.cut();
        assertThat(releasing).as("the caller is notified").failsWithin(SOON);
        awaitNodes("order-42", 0);
        Await.until("nothing is left to delete", SOON, () -> jvm.backend.parts().deletes().none());
    }

    @Test
    @Fault(370)
    void fault370_claimWaitsUntilServersAreWritable() {
        FaultProxy proxy = proxy();
        Jvm jvm = jvm(proxy);
        jvm.release(jvm.grant("order-42"));
        readOnly.set(true);
        Jvm.Waiting waiting = jvm.claim("order-42");
        Await.until("it was refused", SOON, () -> kinds.contains("create") && kinds.contains("sync"));
        Await.until("the waiter is told", SOON, () -> waiting.claim.trouble() != null);
        readOnly.set(false);
        proxy.cut();
        jvm.release(waiting.grant());
        awaitNodes("order-42", 0);
    }

    private final class Client extends ZooKeeper {

        Client(String servers, int timeout, Watcher watcher) throws IOException {
            super(servers, timeout, watcher);
        }

        private boolean refuses(String kind, Runnable answer) {
            if (!readOnly.get()) {
                return false;
            }
            super.exists("/", false, (StatCallback) (rc, path, context, stat) -> {
                answer.run();
                refused.incrementAndGet();
                kinds.add(kind);
            }, null);
            return true;
        }

        @Override
        public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback, Object context) {
            if (!refuses("create",
                    () -> callback.processResult(Code.NOTREADONLY.intValue(), path, context, null, null))) {
                super.create(path, data, acl, mode, callback, context);
            }
        }

        @Override
        public void delete(String path, int version, VoidCallback callback, Object context) {
            if (!refuses("delete", () -> callback.processResult(Code.NOTREADONLY.intValue(), path, context))) {
                super.delete(path, version, callback, context);
            }
        }

        @Override
        public void sync(String path, VoidCallback callback, Object context) {
            if (!refuses("sync", () -> callback.processResult(Code.NOTREADONLY.intValue(), path, context))) {
                super.sync(path, callback, context);
            }
        }
    }
}
