package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Fault;

/** A lock that is taken from a holder that has never had any other reason to listen. */
class ForcedReleaseTest extends RedisTest {

    /** The next renewal would tell the holder too, but only after more than three minutes. */
    private static final LockOptions LONG = LockOptions.DEFAULTS.withLease(Duration.ofMinutes(10));

    @Test
    @Fault(108)
    void fault108_aHolderThatHasNeverMetAnotherIsToldAtOnce() {
        isTold(LONG);
    }

    @Test
    @Fault(108)
    void fault108_soIsOneThatDoesNotRenew() {
        isTold(LONG.withRenew(false));
    }

    private void isTold(LockOptions options) {
        LockManager holder = locks();
        assertThat(holder.inspect("name")).isEmpty();
        LockHandle hold = holder.lock("name", options).acquire();
        LockManager operator = locks();
        assertThat(operator.forceRelease("name")).isTrue();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        try (LockHandle next = operator.lock("name").acquire()) {
            assertThat(hold.isValid()).isFalse();
            assertThat(next.isValid()).isTrue();
        }
        hold.close();
    }
}
