package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;

/** The machine was suspended, and the store hangs when the holder asks whether it still has its lock. */
class PartedClocksTest extends PushingTest {

    @Test
    void fault123_repeatedValidityChecksShareOneRenewal() {
        LockHandle hold = locks.lock("a").acquire();
        time.advance(Duration.ofMillis(100));
        backend.confirm();
        LockHandle another = locks.lock("b").acquire();
        time.advance(Duration.ofMillis(100));
        backend.confirm();
        int before = backend.renewals;
        time.shiftWallClock(Duration.ofMinutes(10));
        for (int i = 0; i < 1_000; i++) {
            assertThat(hold.isValid()).isFalse();
            assertThat(another.isValid()).isFalse();
            time.advance(Duration.ofMillis(1));
        }
        assertThat(backend.renewals - before).as("calls, each for both locks").isEqualTo(1);
        backend.confirm();
        assertThat(another.isValid()).isTrue();
    }

    @Test
    void fault123_holdIsReconfirmedAfterEachSuspension() {
        LockHandle hold = locks.lock("a").acquire();
        for (int i = 1; i <= 3; i++) {
            time.shiftWallClock(Duration.ofMinutes(10));
            assertThat(hold.isValid()).isFalse();
            time.advance(Duration.ofMillis(1));
            assertThat(backend.renewals).isEqualTo(i);
            backend.confirm();
            assertThat(hold.isValid()).isTrue();
        }
    }
}
