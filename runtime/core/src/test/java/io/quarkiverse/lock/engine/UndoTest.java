package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;

/** An abandoned grant does not stay in the store just because the store was once unreachable. */
class UndoTest {

    private final VirtualTime time = new VirtualTime();
    private final PushingBackend backend = new PushingBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void failedReleaseOfLostGrantIsRetried() {
        leaveLost(2);
        time.advance(Duration.ofSeconds(1));
        assertThat(backend.released).isEqualTo(3);
        time.advance(Duration.ofSeconds(40));
        assertThat(backend.released).as("the third attempt was answered").isEqualTo(3);
    }

    @Test
    void releaseOfLostGrantIsRetriedUntilLeaseEnds() {
        leaveLost(Integer.MAX_VALUE);
        time.advance(Duration.ofSeconds(31));
        int tries = backend.released;
        assertThat(tries).isGreaterThan(10);
        time.advance(Duration.ofMinutes(1));
        assertThat(backend.released).isEqualTo(tries);
    }

    @Test
    void releaseIsRetriedUntilTheAfterLossDelayEnds() {
        var patient = new PushingBackend();
        try (LockEngine delayed = LockEngine.builder(patient).time(time).threads(CallerThreads.plain(Runnable::run))
                .afterLossDelay(Duration.ofMinutes(2)).start()) {
            LockHandle hold = delayed.manager(ManagerDefaults.STANDARD).lock("a").acquire();
            patient.unreachable = Integer.MAX_VALUE;
            hold.release();
            time.advance(Duration.ofMinutes(1));
            int tries = patient.released;
            patient.unreachable = 0;
            time.advance(Duration.ofSeconds(10));
            assertThat(patient.released).as("the last attempt was answered").isEqualTo(tries + 1);
            time.advance(Duration.ofMinutes(2));
            assertThat(patient.released).isEqualTo(tries + 1);
        }
    }

    private void leaveLost(int failures) {
        LockHandle hold = engine.manager(ManagerDefaults.STANDARD).lock("a").acquire();
        backend.unreachable = failures;
        backend.listener.lost(backend.last, "for this test");
        hold.close();
        assertThat(backend.released).isEqualTo(1);
    }
}
