package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** The application's own watchers and callbacks run on the one thread that delivers the replies for all locks. */
class EventThreadTest extends ZooKeeperTest {

    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(10));

    private final CuratorFramework client = client(Duration.ofSeconds(6));

    @Test
    @Fault(437)
    void fault437_blockingCallInAWatcherIsRejected() throws Exception {
        LockManager locks = locks(client);
        LockHandle held = locks.lock("held").acquire();
        var refused = new CompletableFuture<List<RuntimeException>>();
        store.create().creatingParentsIfNeeded().forPath(root + "-watched");
        client.getData().usingWatcher((CuratorWatcher) event -> refused.complete(List.of(
                failure(() -> locks.lock("order-42", PATIENT).acquire()),
                failure(() -> locks.inspect("order-42")),
                failure(() -> held.extend(Duration.ofSeconds(1)))))).forPath(root + "-watched");
        long begun = System.nanoTime();
        store.setData().forPath(root + "-watched", new byte[0]);
        assertThat(refused.get(20, TimeUnit.SECONDS)).hasSize(3).allSatisfy(each -> assertThat(each)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("event loop")
                .hasMessageContaining("hand the work over to another thread"));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
        Duration before = held.validFor();
        Await.until("it is renewed", SOON, () -> held.validFor().compareTo(before) > 0);
        assertThat(held.isValid()).isTrue();
        held.close();
    }

    @Test
    @Fault(437)
    void fault437_callbackMayReleaseALock() throws Exception {
        LockManager locks = locks(client);
        LockHandle held = locks.lock("held").acquire();
        var took = new CompletableFuture<Long>();
        client.getData().inBackground((curator, event) -> {
            long begun = System.nanoTime();
            held.close();
            took.complete(System.nanoTime() - begun);
        }).forPath("/");
        assertThat(Duration.ofNanos(took.get(20, TimeUnit.SECONDS))).isLessThan(Duration.ofSeconds(1));
        awaitNodes("held", 0);
    }
}
