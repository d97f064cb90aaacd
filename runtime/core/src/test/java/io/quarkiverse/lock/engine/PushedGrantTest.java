package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;

/** A grant that the backend keeps only for a moment. */
class PushedGrantTest extends PushingTest {

    @Test
    void pushedGrantIsConfirmedSoon() {
        LockHandle handle = locks.lock("a").acquire();
        time.advance(Duration.ofMillis(99));
        assertThat(backend.renewals).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(backend.renewals).isEqualTo(1);
        assertThat(handle.isValid()).isTrue();
        handle.close();
    }

    @Test
    void grantDowngradedAtOnceIsConfirmedSoon() {
        backend.slow = true;
        locks.lock("a").acquireAsync().subscribe().with(handle -> handle.downgradeAsync().subscribe().with(done -> {
        }));
        backend.answer.run();
        assertThat(locks.held()).singleElement().matches(held -> held.mode() == LockMode.SHARED);

        time.advance(Duration.ofMillis(100));

        assertThat(backend.renewals).isEqualTo(1);
    }

    @Test
    void fault538_unrenewedGrantsOfSeveralNamesAreConfirmedSoon() {
        LockHandle both = locks.all(LockOptions.DEFAULTS.withRenew(false), "a", "b").acquire();
        time.advance(Duration.ofMillis(100));
        assertThat(backend.renewals).isEqualTo(1);
        backend.confirm();
        assertThat(both.validFor()).isGreaterThan(PushingBackend.CLAIM_LEASE);
        both.close();
    }

    @Test
    void grantWithHoldAtLeastIsConfirmedAtOnce() {
        LockHandle handle = locks.lock("a", LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofMinutes(1))).acquire();
        assertThat(backend.renewals).isEqualTo(1);
        handle.close();
    }

    @Test
    void grantWithAfterLossDelayIsConfirmedAtOnce() {
        var pushing = new PushingBackend();
        try (LockEngine delaying = LockEngine.builder(pushing).time(time).threads(CallerThreads.plain(Runnable::run))
                .afterLossDelay(Duration.ofSeconds(10)).start()) {
            delaying.manager(ManagerDefaults.STANDARD).lock("a").acquire();
            assertThat(pushing.renewals).isEqualTo(1);
        }
    }

    @Test
    void releasedGrantIsNotConfirmed() {
        locks.lock("a").acquire().close();
        time.advance(Duration.ofSeconds(1));
        assertThat(backend.renewals).isZero();
    }
}
