package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;

/**
 * The container of a name cannot be created, since the root or the permission is missing, and somebody else creates it before
 * the node is created: an existing node must be used, or it blocks its own claim.
 */
class LeakedNodeTest extends ZooKeeperTest {

    @ParameterizedTest
    @EnumSource(value = Code.class, names = { "NONODE", "NOAUTH" })
    void nodeIsUsedAlthoughItsContainerCouldNotBeCreated(Code code) {
        var once = new AtomicBoolean();
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs((int) LONG_SESSION.toMillis()).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> new ZooKeeper(servers, timeout, watcher) {
                    @Override
                    public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback,
                            Object context) {
                        Create2Callback told = mode != CreateMode.CONTAINER || !once.compareAndSet(false, true) ? callback
                                : (rc, at, ctx, name, stat) -> callback.processResult(code.intValue(), at, ctx, null, null);
                        super.create(path, data, acl, mode, told, context);
                    }
                }).build());
        client.start();
        LockManager locks = locks(client);
        try (LockHandle hold = locks.lock("order-42").acquire()) {
            assertThat(hold.isValid()).isTrue();
            assertThat(nodes("order-42")).hasSize(1);
        }
        assertThat(once).isTrue();
        awaitNodes("order-42", 0);
    }
}
