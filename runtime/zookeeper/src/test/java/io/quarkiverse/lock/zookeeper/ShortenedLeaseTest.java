package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** A lease that is shortened while it runs. The servers do not know about it. */
class ShortenedLeaseTest extends ZooKeeperTest {

    /** Otherwise a holder that has lost the name would keep it taken for as long as before. */
    @Test
    @Fault(145)
    void fault145_nodeIsDeletedWhenTheShortenedLeaseEnds() {
        LockManager holder = locks(client(LONG_SESSION));
        LockManager other = locks(client(LONG_SESSION));
        LockHandle hold = holder.lock("name", LockOptions.DEFAULTS.withRenew(false)).acquire();
        hold.changeLease(Duration.ofSeconds(1));
        try (LockHandle next = other.lock("name", LockOptions.DEFAULTS.withWaitFor(SOON)).acquire()) {
            assertThat(hold.isValid()).isFalse();
            assertThat(next.fencingToken()).isGreaterThan(hold.fencingToken());
        }
        hold.close();
    }

    @Test
    void nodeStaysWhileTheShortenedLeaseIsRenewed() {
        LockManager holder = locks(client(LONG_SESSION));
        LockManager other = locks(client(LONG_SESSION));
        try (LockHandle hold = holder.lock("name").acquire()) {
            hold.changeLease(Duration.ofSeconds(3));
            assertThat(other.lock("name").tryAcquire(Duration.ofSeconds(5))).isEmpty();
            assertThat(hold.isValid()).isTrue();
        }
    }

    /** The others want more than the session allows anyway. */
    @Test
    @Fault(141)
    void fault141_oneOfSeveralReadersMayShortenItsLease() {
        LockManager locks = locks(client(Duration.ofSeconds(20)));
        LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        List<LockHandle> readers = new ArrayList<>();
        Await.until("one joins the other, since nobody is known to wait", SOON, () -> {
            readers.forEach(LockHandle::close);
            readers.clear();
            readers.add(locks.lock("name", shared).acquire());
            nodes("name"); // a round trip, after which the first is notified that nobody waits
            readers.add(locks.lock("name", shared).acquire());
            return nodes("name").size() == 1;
        });
        readers.get(0).changeLease(Duration.ofSeconds(2));
        assertThat(readers).as("as long as the other wants it").allSatisfy(each -> assertThat(each.validFor())
                .isGreaterThan(Duration.ofSeconds(5)));
        readers.forEach(LockHandle::close);
    }

    /** For a client that was connected before, the leader's answer proves little during half a tick. */
    @Test
    @Fault(443)
    void fault443_leaseCanChangeWhileTheSessionIsUncertain() {
        CuratorFramework client = client(Duration.ofSeconds(20));
        Await.until("it is connected", SOON, () -> client.getZookeeperClient().isConnected());
        LockManager locks = locks(client, options().withTickTime(Duration.ofSeconds(2)));
        try (LockHandle hold = locks.lock("name").acquire()) {
            hold.extend(Duration.ofSeconds(10));
            hold.changeLease(Duration.ofSeconds(5));
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
        }
    }

    /** Nothing is in flight then that could fail. */
    @Test
    @Fault(443)
    void fault443_shutdownBeforeTheRetryLeavesTheRenewalUnknown() {
        CuratorFramework client = client(Duration.ofSeconds(20));
        Await.until("it is connected", SOON, () -> client.getZookeeperClient().isConnected());
        Jvm jvm = opened(new Jvm(client, options().withTickTime(Duration.ofSeconds(2)), () -> {
        }));
        ZooKeeperGrant grant = jvm.grant("name");
        jvm.time.timers = false;
        CompletableFuture<Renewal> before = jvm.backend.renew(List.of(grant)).subscribeAsCompletionStage();
        var answered = new CompletableFuture<Void>();
        jvm.zk().exists(grant.path(), false, (rc, path, ctx, stat) -> answered.complete(null), null);
        Jvm.get(answered);
        assertThat(before).as("it will be asked again").isNotDone();
        jvm.backend.parts().timers().stop();
        assertThat(Jvm.get(before).unknown()).hasSize(1);
        assertThat(jvm.renew(grant).unknown()).as("begun just before the shutdown").hasSize(1);
    }
}
