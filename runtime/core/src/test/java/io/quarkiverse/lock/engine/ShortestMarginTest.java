package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** Two clocks never agree exactly, which must not look like a suspension of the machine. */
class ShortestMarginTest {

    private static final Duration SHORTEST = Duration.ofMillis(50);

    private final VirtualTime time = new VirtualTime();
    private final LockEngineBuilder builder = LockEngine.builder(new LocalBackend(new LocalStore(time), "margin")).time(time)
            .threads(CallerThreads.plain(Runnable::run));

    @Test
    void fault381_marginBelowClockInaccuracyIsRejected() {
        for (Duration margin : new Duration[] { Duration.ZERO, SHORTEST.minusNanos(1) }) {
            assertThatThrownBy(() -> builder.margin(margin)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("margin").hasMessageContaining("50ms");
        }
    }

    @Test
    void fault381_shortestMarginToleratesInaccurateClocks() {
        LockEngine engine = builder.margin(SHORTEST).start();
        try (LockHandle hold = engine.manager(ManagerDefaults.STANDARD).lock("a").acquire()) {
            for (int shift : new int[] { 1, 15, -30 }) {
                time.shiftWallClock(Duration.ofMillis(shift));
                assertThat(hold.isValid()).as("after %s ms", shift).isTrue();
            }
            time.shiftWallClock(Duration.ofMillis(70));
            assertThat(hold.isValid()).as("after a suspension").isFalse();
        }
        engine.close();
    }
}
