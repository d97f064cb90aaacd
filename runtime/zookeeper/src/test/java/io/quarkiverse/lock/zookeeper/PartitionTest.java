package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * Holders that are cut off from the servers, each with its own session. Sessions are short here, and the formula of
 * {@link ZooKeeperLockOptions#sessionLeaseMillis} gives what is left of them for a lease.
 */
class PartitionTest extends ZooKeeperTest {

    private static final Duration SESSION = Duration.ofSeconds(9);
    private static final int AT_ONCE = 100;
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60));

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @Fault({ 16, 42 })
    void fault42_partitionedHolderIsNotifiedBeforeSessionExpires() {
        LockManager others = locks(client(LONG_SESSION));
        int runs = Scale.times(200, 10);
        for (int begun = 0; begun < runs; begun += AT_ONCE) {
            partition(others, begun, Math.min(runs, begun + AT_ONCE));
        }
    }

    private void partition(LockManager others, int from, int to) {
        List<Partitioned> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            all.add(new Partitioned("order-" + i));
        }
        try {
            all.forEach(each -> each.begin(others));
            all.forEach(each -> awaitNodes(each.name, 2));
            Await.during("renewed as long as they are connected", SESSION.plusSeconds(1),
                    () -> all.stream().allMatch(each -> each.hold.isValid()));
            all.forEach(each -> each.proxy.blackhole());
            Await.until("all have a successor", SOON.multipliedBy(2), () -> {
                all.forEach(Partitioned::sample);
                return all.stream().allMatch(each -> each.next.isDone());
            });
            all.forEach(each -> each.proxy.pass());
            all.forEach(Partitioned::check);
        } finally {
            CompletableFuture.allOf(all.stream().map(each -> CompletableFuture.runAsync(each::close, threads))
                    .toArray(CompletableFuture<?>[]::new)).join();
        }
    }

    private final class Partitioned {

        private final String name;
        private final FaultProxy proxy = proxy();
        private final CuratorFramework client = Clients.started(proxy.host() + ":" + proxy.port(), SESSION);
        private final LockEngine engine = LockEngine.builder(new ZooKeeperLockBackend(client, options(), "somebody")).start();
        private LockHandle hold;
        private CompletableFuture<Succession> next;
        /** According to the holder itself. */
        private long validUntil;

        private record Succession(LockHandle hold, long at, boolean firstIsValid) {
        }

        Partitioned(String name) {
            this.name = name;
        }

        void begin(LockManager others) {
            hold = engine.manager(ManagerDefaults.STANDARD).lock(name).acquire();
            assertThat(hold.validFor()).as("two thirds of the session, less half a tick and the margin")
                    .isLessThanOrEqualTo(Duration.ofMillis(5900 * 9 / 10));
            next = others.lock(name, PATIENT).acquireAsync()
                    .map(taken -> new Succession(taken, System.nanoTime(), hold.isValid())).subscribeAsCompletionStage();
        }

        void sample() {
            long now = System.nanoTime();
            Duration left = hold.validFor();
            if (!left.isZero()) {
                validUntil = now + left.toNanos();
            }
        }

        void check() {
            Succession succession = Jvm.get(next);
            assertThat(succession.firstIsValid).as("the first is valid while the second has it").isFalse();
            assertThat(Duration.ofNanos(succession.at - validUntil)).as("time between the two")
                    .isGreaterThan(Duration.ofMillis(300));
            assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
            hold.close();
            assertThat(succession.hold.isValid()).isTrue();
            succession.hold.close();
        }

        void close() {
            engine.close();
            client.close();
        }
    }
}
