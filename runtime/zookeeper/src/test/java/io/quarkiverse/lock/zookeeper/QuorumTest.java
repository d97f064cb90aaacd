package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.ZooKeeperCluster;

/** Three servers, some of which fail. */
class QuorumTest extends ZooKeeperTest {

    private static final Duration SESSION = Duration.ofSeconds(15);

    private ZooKeeperCluster cluster;

    @BeforeEach
    void startCluster() {
        cluster = ZooKeeperCluster.start();
        cluster.leader();
    }

    @AfterEach
    void stopCluster() {
        cluster.close();
    }

    private LockManager locks() {
        return locks(opened(Clients.started(cluster.connectString(), SESSION)));
    }

    @Test
    @Fault(45)
    void fault45_claimFailsInTimeWithoutAMajorityThenRecovers() {
        LockManager locks = locks();
        LockHandle hold = locks.lock("held").acquire();
        locks.lock("order-42").acquire().close();
        int leader = cluster.leader();
        int other = (leader + 1) % 3;
        cluster.kill(leader);
        cluster.kill(other);
        Await.until("the loss of the majority is noticed", SOON, () -> {
            long start = System.nanoTime();
            try {
                locks.lock("order-42").tryAcquire(Duration.ZERO).ifPresent(LockHandle::close);
                return false;
            } catch (LockBackendException e) {
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(12));
                assertThat(e).hasMessageContaining("quarkus.lock.zookeeper.");
                return true;
            }
        });
        assertThat(failure(() -> locks.lock("order-42").tryAcquire(Duration.ofSeconds(1))))
                .isInstanceOf(LockBackendException.class).hasMessageContaining("quarkus.lock.zookeeper.connect-string");
        assertThat(hold.lost().toCompletableFuture()).as("lost by its deadline, since nobody confirms it")
                .succeedsWithin(SESSION.plusSeconds(5));
        cluster.restart(leader);
        cluster.restart(other);
        cluster.leader();
        locks.lock("order-42", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60))).acquire().close();
        hold.close();
        locks.lock("held", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60))).acquire().close();
    }

    @Test
    @Fault(45)
    void fault45_leaderDeathUnderLoadGrantsNoLockTwice() throws Exception {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        int[] counter = new int[1];
        var inside = new AtomicInteger();
        var enough = new AtomicBoolean();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LockManager locks = locks();
            for (int t = 0; t < 2; t++) {
                all.add(CompletableFuture.runAsync(() -> {
                    while (!enough.get()) {
                        try (LockHandle hold = locks.lock("hot").acquire()) {
                            assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
                            tokens.add(hold.fencingToken());
                            counter[0]++;
                            inside.decrementAndGet();
                        } catch (LockException e) {
                            // busy or out of reach for a while, as expected
                        }
                    }
                }, threads));
            }
        }
        Await.until("they are at it", SOON, () -> tokens.size() > 100);
        int leader = cluster.leader();
        cluster.kill(leader);
        int before = tokens.size();
        Await.until("they are at it again", Duration.ofSeconds(60), () -> tokens.size() > before + 200);
        cluster.restart(leader);
        enough.set(true);
        for (CompletableFuture<?> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSize(counter[0]);
    }
}
