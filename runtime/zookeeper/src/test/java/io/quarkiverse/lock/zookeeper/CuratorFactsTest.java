package io.quarkiverse.lock.zookeeper;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;

/** What Curator's recipe does and our lock must not do, and what both rely on. */
class CuratorFactsTest extends ZooKeeperTest {

    @Test
    @Fault(41)
    void fault41_sessionEndIsNoticedByUsButNotByTheRecipe() throws Exception {
        CuratorFramework client = client(Duration.ofSeconds(6)); // the servers may learn of its end only by silence
        var mutex = new InterProcessMutex(client, root + "/recipe");
        LockManager ours = locks(client);
        mutex.acquire();
        LockHandle hold = ours.lock("ours").acquire();
        var reconnected = new CompletableFuture<Void>();
        client.getConnectionStateListenable().addListener((any, state) -> {
            if (state == ConnectionState.RECONNECTED) {
                reconnected.complete(null);
            }
        });
        client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
        reconnected.get(20, TimeUnit.SECONDS);
        var elsewhere = new InterProcessMutex(client(LONG_SESSION), root + "/recipe");
        assertThat(elsewhere.acquire(20, TimeUnit.SECONDS)).isTrue();

        assertThat(mutex.isOwnedByCurrentThread()).isTrue();
        assertThat(mutex.acquire(0, TimeUnit.SECONDS)).as("two hold it").isTrue();
        mutex.release();
        mutex.release();
        elsewhere.release();

        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(hold.isValid()).isFalse();
        LockManager other = locks(client(LONG_SESSION));
        try (LockHandle next = other.lock("ours").acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(hold.fencingToken());
            assertThat(ours.lock("ours").tryAcquire(Duration.ZERO)).isEmpty();
            hold.close();
            assertThat(next.isValid()).isTrue();
            assertThat(ours.lock("ours").tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Fault(47)
    void fault47_fenceGrowsThoughNumbersRestartWithTheContainer() throws Exception {
        LockManager ours = locks(client(LONG_SESSION));
        String container = root + "/numbered";
        long last = 0;
        for (int i = 0; i < 3; i++) {
            try (LockHandle hold = ours.lock("numbered").acquire()) {
                assertThat(nodes("numbered")).singleElement().asString().endsWith("0000000000");
                assertThat(hold.fencingToken()).isGreaterThan(last);
                Stat stat = store.checkExists().forPath(container + '/' + nodes("numbered").get(0));
                assertThat(hold.fencingToken()).isEqualTo(stat.getCzxid() * 1024);
                last = hold.fencingToken();
            }
            store.delete().forPath(container);
            store.create().withMode(CreateMode.CONTAINER).forPath(container);
        }
    }

    @Test
    void releaseWakesOnlyTheNextWaiter() throws Exception {
        Jvm holder = jvm();
        ZooKeeperGrant grant = holder.grant("queue");
        Jvm second = jvm();
        Jvm third = jvm();
        var next = second.claim("queue");
        awaitNodes("queue", 2);
        var last = third.claim("queue");
        awaitNodes("queue", 3);
        Await.until("both watch", SOON, () -> watched(second) == 1 && watched(third) == 1);
        holder.release(grant);
        ZooKeeperGrant granted = next.grant();
        assertThat(watched(third)).as("the third still watches the second").isEqualTo(1);
        assertThat(last.answer).isNotDone();
        second.release(granted);
        third.release(last.grant());
        assertThat(watched(third)).isZero();
    }

    private static int watched(Jvm jvm) {
        return jvm.backend.parts().waiting().count();
    }

    @Test
    @Fault({ 10, 11 })
    void fault10_interruptedOrTimedOutWaiterLeavesNoNode() throws Exception {
        var holder = new InterProcessMutex(client(LONG_SESSION), root + "/queue");
        holder.acquire();
        CuratorFramework client = client(LONG_SESSION);
        LockManager ours = locks(client, options().withNodes(LockNodes.MUTEX));
        var recipe = new InterProcessMutex(client, root + "/queue");
        for (int i = 0; i < 5; i++) {
            assertThat(recipe.acquire(50, TimeUnit.MILLISECONDS)).isFalse();
            assertKeptOut(ours.lock("queue"), Duration.ofMillis(50));
            interrupted(() -> {
                recipe.acquire();
                return null;
            });
            interrupted(() -> ours.lock("queue").acquire());
        }
        awaitNodes("queue", 1);
        holder.release();
        awaitNodes("queue", 0);
    }

    private void interrupted(Callable<?> waiting) throws Exception {
        var outcome = new CompletableFuture<Throwable>();
        var waiter = new Thread(() -> {
            try {
                waiting.call();
                outcome.complete(null);
            } catch (Exception e) {
                outcome.complete(e);
            }
        });
        waiter.start();
        awaitNodes("queue", 2);
        waiter.interrupt();
        assertThat(Jvm.get(outcome)).isNotNull();
    }

    @Test
    void waiterThatGivesUpLeavesNoNode() throws Exception {
        Jvm holder = jvm();
        ZooKeeperGrant grant = holder.grant("queue");
        Jvm waiter = jvm();
        for (int i = 0; i < 20; i++) {
            var waiting = waiter.claim("queue");
            if (i % 2 == 0) {
                awaitNodes("queue", 2);
            }
            waiting.cancel();
        }
        awaitNodes("queue", 1);
        assertThat(watched(waiter)).isZero();
        holder.release(grant);
        awaitNodes("queue", 0);
    }
}
