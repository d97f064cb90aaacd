package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** The delay is taken from the session: the lease ends that much earlier, while the servers keep the node. */
class AfterLossDelayTest extends ZooKeeperTest {

    private static final Duration SESSION = Duration.ofSeconds(12);
    private static final Duration DELAY = Duration.ofSeconds(4);

    private LockManager delayed(CuratorFramework client, Duration delay) {
        var backend = new ZooKeeperLockBackend(client, options().withAfterLossDelay(delay), "somebody");
        LockEngine engine = opened(LockEngine.builder(backend).afterLossDelay(delay).start());
        return engine.manager(ManagerDefaults.STANDARD);
    }

    @Test
    void lockOfAPartitionedHolderIsKeptUntilTheDelayIsOver() {
        FaultProxy proxy = proxy();
        LockManager cutOff = delayed(opened(Clients.started(proxy.host() + ":" + proxy.port(), SESSION)), DELAY);
        LockManager other = locks(client(LONG_SESSION));
        LockHandle lost = cutOff.lock("order-42").acquire();
        assertThat(lost.validFor()).as("two thirds of the session without the delay").isLessThan(Duration.ofSeconds(4));
        var next = other.lock("order-42", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60))).acquireAsync()
                .map(taken -> {
                    taken.close();
                    return System.nanoTime();
                }).subscribeAsCompletionStage();
        awaitNodes("order-42", 2);
        proxy.blackhole();
        var validUntil = new AtomicLong();
        Await.until("it is not valid any more", SOON, () -> {
            long now = System.nanoTime();
            Duration left = lost.validFor();
            if (!left.isZero()) {
                validUntil.set(now + left.toNanos());
            }
            return left.isZero();
        });
        long freeAt = Jvm.get(next);
        proxy.pass();
        assertThat(Duration.ofNanos(freeAt - validUntil.get())).isGreaterThan(DELAY);
        lost.close();
    }

    @Test
    void refusesASessionThatLeavesNoLease() {
        LockManager locks = delayed(client(SESSION), Duration.ofSeconds(8));
        RuntimeException refused = failure(() -> locks.lock("order-42").acquire());
        assertThat(refused).isInstanceOf(LockBackendException.class).hasMessageContaining("order-42")
                .hasMessageContaining("12s").hasMessageContaining("quarkus.lock.after-loss-delay=8s")
                .hasMessageContaining("the session timeout of your client");
        assertThat(nodes("order-42")).isEmpty();
    }

    @Test
    void reportedMaximumLeaseExcludesTheDelay() {
        try (LockHandle hold = delayed(client(SESSION), DELAY).lock("order-42").acquire()) {
            assertThat(failure(() -> hold.extend(Duration.ofSeconds(20)))).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("for 20s").hasMessageContaining("allows 3.9s");
        }
    }

    @Test
    void replyThatTookMostOfTheLeaseIsRequestedAgain() throws Exception {
        FaultProxy proxy = proxy();
        Duration delay = Duration.ofSeconds(7);
        var jvm = opened(new Jvm(proxy.host() + ":" + proxy.port(), SESSION, options().withAfterLossDelay(delay)));
        jvm.release(jvm.grant("order-42"));
        proxy.delayReplies(Duration.ofMillis(600));
        Jvm.Waiting waiting = jvm.claim("order-42");
        assertThatThrownBy(() -> waiting.answer.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        proxy.pass();
        ZooKeeperGrant grant = waiting.grant();
        assertThat(Duration.ofNanos(grant.grantedAt() - grant.sentAt())).as("half of what is left without the delay")
                .isLessThan(Duration.ofMillis(450));
        jvm.release(grant);
    }
}
