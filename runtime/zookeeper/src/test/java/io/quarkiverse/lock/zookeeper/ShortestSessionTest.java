package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** A session outlasts a leader that is cut off from the others, or the log says so. */
class ShortestSessionTest extends ZooKeeperTest {

    @Test
    void thirtySecondSessionSufficesForTheSampleConfiguration() {
        assertThat(ZooKeeperLockOptions.STANDARD.shortestSession()).isEqualTo(Duration.ofMillis(27_750));
        assertThat(ZooKeeperLockOptions.STANDARD.withMargin(Duration.ofMillis(100)).shortestSession())
                .isEqualTo(Duration.ofMillis(32_700));
        assertThat(ZooKeeperLockOptions.STANDARD.withSyncLimit(0).shortestSession()).isZero();
        assertThatThrownBy(() -> ZooKeeperLockOptions.STANDARD.withSyncLimit(-1))
                .hasMessageContaining("quarkus.lock.zookeeper.sync-limit");
    }

    @Test
    void leaseEndsBeforeTheShortestSession() {
        for (int syncLimit : List.of(1, 2, 5, 10, 20, 60)) {
            for (int tick : List.of(200, 1000, 2000, 3000)) {
                for (int delay : List.of(0, 3000)) {
                    var options = ZooKeeperLockOptions.STANDARD.withSyncLimit(syncLimit).withTickTime(Duration.ofMillis(tick))
                            .withAfterLossDelay(Duration.ofMillis(delay));
                    leaseEndsBeforeTheShortestSession(options);
                    for (int margin : List.of(0, 100, 5000, 60_000)) {
                        leaseEndsBeforeTheShortestSession(options.withMargin(Duration.ofMillis(margin)));
                    }
                }
            }
        }
    }

    private static void leaseEndsBeforeTheShortestSession(ZooKeeperLockOptions options) {
        long shortest = options.shortestSession().toMillis();
        if (options.lease(options.shortestSession()).isNegative()) {
            return; // refused anyway
        }
        long unnoticed = (options.syncLimit() + 1) * options.tickTime().toMillis();
        assertThat(certainty(options, shortest) + unnoticed).isLessThanOrEqualTo(shortest + 2);
        assertThat(certainty(options, shortest - 20) + unnoticed).isGreaterThan(shortest - 20);
    }

    /** What the engine's margin leaves of the lease, in milliseconds. */
    private static long certainty(ZooKeeperLockOptions options, long session) {
        long lease = options.lease(Duration.ofMillis(session)).toMillis();
        Duration margin = options.margin();
        return lease - (margin == null ? Math.min(lease / 10, 2000) : Math.min(margin.toMillis(), lease / 2));
    }

    @Test
    void warnsIfTheSessionIsTooShort() {
        try (var said = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            try (LockHandle hold = locks(client(LONG_SESSION)).lock("order-42").acquire()) {
                assertThat(said.text()).doesNotContain("sync-limit");
            }
        }
        try (var said = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            var session = Duration.ofMillis(2500);
            try (LockHandle hold = locks(client(session), options().withSession(session)).lock("order-42").acquire()) {
                assertThat(said.text()).contains("2.5s").contains("quarkus.lock.zookeeper.sync-limit=5")
                        .contains("Raise quarkus.lock.zookeeper.session-timeout to 2.775s");
            }
        }
        try (var said = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            try (LockHandle hold = locks(client(Duration.ofMillis(2500))).lock("order-42").acquire()) {
                assertThat(said.text()).contains("Raise the session timeout of your client to 2.775s");
            }
        }
    }
}
