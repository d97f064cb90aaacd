package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.ClientCnxn;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/**
 * An application's own client, in a namespace, notifies its connection listeners one after the other: a slow listener of the
 * application delays ours. Our watch on the root, which would notify us as well, is lost here.
 */
class UnheardEndTest extends ZooKeeperTest {

    private final CountDownLatch heard = new CountDownLatch(1);

    private CuratorFramework slowToTell() {
        CuratorFramework client = opened(CuratorFrameworkFactory.builder().connectString(server.connectString())
                .sessionTimeoutMs((int) LONG_SESSION.toMillis()).retryPolicy(new RetryOneTime(100)).ensembleTracker(false)
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> new ZooKeeper(servers, timeout, watcher) {
                    @Override
                    public void getData(String path, Watcher watch, DataCallback callback, Object context) {
                        super.getData(path, path.equals("/team" + root) ? null : watch, callback, context);
                    }
                }).build());
        client.getConnectionStateListenable().addListener((ignored, state) -> {
            try {
                heard.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        client.start();
        Await.until("it is connected", SOON, () -> client.getZookeeperClient().isConnected());
        return client.usingNamespace("team");
    }

    @Test
    void deletionInAnEndedSessionIsRetriedOnlyOccasionally() {
        Jvm jvm = opened(new Jvm(slowToTell(), options(), heard::countDown));
        jvm.grant("order-42");
        Jvm.Waiting waiting = jvm.claim("order-42");
        Await.until("it waits", SOON, waiting.claim::taken);
        ZooKeeper zk = jvm.zk();
        ZooKeeperServer.expire(zk, server.connectString());
        Await.until("it answers on whatever thread asks", SOON, () -> answersHere(zk));
        try (var said = LogLines.warnings(ClientCnxn.class.getName())) {
            waiting.cancel();
            assertThat(said.text().lines().filter(line -> !line.contains("Closing socket connection"))) // of the ended session
                    .as("what the client has caught, such as a StackOverflowError").isEmpty();
        }
        assertThat(jvm.backend.parts().deletes().none()).isFalse();
        heard.countDown();
        Await.until("it has gone with its session", SOON, () -> jvm.backend.parts().deletes().none());
        jvm.release(jvm.grant("order-42"));
    }

    /** A client that is closed sends nothing: there is no doubt that the release came too late. */
    @Test
    @Fault(515)
    void fault515_releaseInAnEndedSessionReportsTheLoss() {
        Jvm jvm = opened(new Jvm(slowToTell(), options(), heard::countDown));
        ZooKeeperGrant grant = jvm.grant("order-42");
        ZooKeeperServer.expire(jvm.zk(), server.connectString());
        Await.until("its client has heard of it", SOON, () -> !grant.session().zk().getState().isAlive());
        assertThat(failure(() -> jvm.release(grant))).isInstanceOf(LockLostException.class).hasMessageContaining("session");
        assertThat(jvm.told.lost).isEmpty();
    }

    private static boolean answersHere(ZooKeeper zk) {
        var answered = new AtomicReference<Thread>();
        zk.exists("/", false, (rc, path, ctx, stat) -> answered.set(Thread.currentThread()), null);
        return answered.get() == Thread.currentThread();
    }
}
