package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Fault;

/** A lease that is made shorter while it runs. The servers know nothing of it. */
class ShortenedLeaseTest extends ZooKeeperTest {

    /** Else the name would stay taken for as long as before, by a holder who has lost it. */
    @Test
    @Fault(145)
    void fault145_itsNodeGoesWhenItIsOver() {
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
    void itsNodeStaysWhileItIsRenewed() {
        LockManager holder = locks(client(LONG_SESSION));
        LockManager other = locks(client(LONG_SESSION));
        try (LockHandle hold = holder.lock("name").acquire()) {
            hold.changeLease(Duration.ofSeconds(1));
            assertThat(other.lock("name").tryAcquire(Duration.ofSeconds(4))).isEmpty();
            assertThat(hold.isValid()).isTrue();
        }
    }
}
