package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;

/** Overloaded servers say so instead of answering. */
class BusyServersTest extends ZooKeeperTest {

    @Test
    void rootCheckIsRetriedWhenThrottled() {
        var busy = new AtomicInteger(3);
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs(30_000).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> new ZooKeeper(servers, timeout, watcher) {
                    @Override
                    public void getData(String path, Watcher watch, DataCallback callback, Object context) {
                        if (path.equals(root) && busy.getAndDecrement() > 0) {
                            callback.processResult(Code.THROTTLEDOP.intValue(), path, context, null, null);
                        } else {
                            super.getData(path, watch, callback, context);
                        }
                    }
                }).build());
        client.start();
        LockManager locks = locks(client);
        try (LockHandle hold = locks.lock("order-42").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(busy.get()).as("busy replies left").isLessThan(0);
    }
}
