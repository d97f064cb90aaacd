package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** An unsupported feature is refused by the call that asks for it, before anything is sent. */
class UnsupportedTest extends ZooKeeperTest {

    private static final Duration SESSION = Duration.ofSeconds(30);
    private static final Duration ALLOWED = ZooKeeperLockOptions.STANDARD.withTickTime(ZooKeeperServer.TICK).lease(SESSION);
    private static final Duration TWO_MINUTES = Duration.ofMinutes(2);
    private static final LockOptions UNRENEWED = LockOptions.DEFAULTS.withRenew(false);

    @Test
    void holdAtLeastIsRejected() {
        LockManager locks = locks(client(LONG_SESSION));
        LockOptions report = LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofMinutes(1));
        assertThatThrownBy(() -> locks.lock("report", report)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'zookeeper' cannot keep a name after its release")
                .hasMessageContaining("quarkus.lock.backend");
        assertThatThrownBy(() -> locks.all(report, "report", "other")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("holdAtLeast");
    }

    @Test
    @Fault(542)
    void fault542_unrenewedLeaseBeyondTheSessionIsRejected() {
        LockManager locks = locks(client(SESSION));
        locks.lock("report").acquire().close(); // from here on, it knows the session
        refuses(locks, UNRENEWED.withLease(TWO_MINUTES), "or raise the session timeout of your client, and maxSessionTimeout");
        refuses(locks, UNRENEWED.withLease(ALLOWED.plusMillis(1)), "withRenew(true)");
        assertHeld(locks, UNRENEWED.withLease(ALLOWED));
        assertHeld(locks, UNRENEWED); // quarkus.lock.lease applies as far as the session allows
        assertHeld(locks, LockOptions.DEFAULTS.withLease(TWO_MINUTES));
    }

    @Test
    @Fault(542)
    void fault542_requestedSessionCountsBeforeTheFirstConnection() {
        CuratorFramework never = opened(Clients.started("127.0.0.1:1", SESSION));
        refuses(locks(never, options().withSession(SESSION)), UNRENEWED.withLease(TWO_MINUTES),
                "or raise quarkus.lock.zookeeper.session-timeout, and maxSessionTimeout");
        assertThat(locks(never).lock("report", UNRENEWED.withLease(TWO_MINUTES))).as("unknown").isNotNull();
    }

    @Test
    @Fault(542)
    void fault542_managerWithoutRenewalRejectsALongLease() {
        var renewed = ManagerDefaults.STANDARD;
        var unrenewed = new ManagerDefaults(renewed.name(), renewed.waitFor(), renewed.lease(), false, null, renewed.onLost());
        var backend = new ZooKeeperLockBackend(client(SESSION), options().withSession(SESSION), "somebody");
        LockManager locks = opened(LockEngine.builder(backend).start()).manager(unrenewed);
        refuses(locks, LockOptions.DEFAULTS.withLease(TWO_MINUTES), "withRenew(true)");
        assertHeld(locks, LockOptions.DEFAULTS.withLease(TWO_MINUTES).withRenew(true));
    }

    private static void refuses(LockManager locks, LockOptions report, String advice) {
        assertThatThrownBy(() -> locks.lock("report", report)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'zookeeper' cannot keep a lock for " + PrintableDuration.of(report.lease()))
                .hasMessageContaining("allows " + PrintableDuration.of(ALLOWED)).hasMessageContaining(advice);
        assertThatThrownBy(() -> locks.all(report, "report", "other")).isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertHeld(LockManager locks, LockOptions report) {
        try (LockHandle hold = locks.lock("report", report).acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void sharedModeOnAMutexIsRejected() {
        LockManager locks = locks(client(LONG_SESSION), options().withNodes(LockNodes.MUTEX));
        assertThatThrownBy(() -> locks.lock("catalog", LockOptions.DEFAULTS.withMode(LockMode.SHARED)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("LockMode.SHARED");
        assertThatThrownBy(() -> locks.lock("catalog").asReadWriteLock()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("catalog").hasMessageContaining("asJavaLock");
    }
}
