package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;

/** Invalid input is rejected before anything happens. */
public abstract class BadInputContract extends ContractTest {

    @Test
    @Rule({ 1, 11 })
    void outOfBoundsDurationsAreRejected() {
        Jvm a = jvm();
        for (Duration lease : List.of(Duration.ofMillis(999), Duration.ZERO, Duration.ofSeconds(-1),
                Duration.ofHours(24).plusNanos(1))) {
            refused(() -> a.locks().lock(name(), LockOptions.DEFAULTS.withLease(lease)), "lease");
        }
        refused(() -> a.locks().lock(name(), LockOptions.DEFAULTS.withWaitFor(Duration.ofNanos(-1))), "wait");
        refused(() -> a.locks().lock(name(), LockOptions.DEFAULTS.withMaxHold(Duration.ZERO)), "maxHold");
        refused(() -> a.lock(name()).tryAcquire(Duration.ofMillis(-1)), "wait");
        refused(() -> a.lock(name()).tryAcquireAsync(Duration.ofMillis(-1)).await().atMost(SOON), "wait");
        assertThat(a.locks().inspect(name())).isEmpty();
    }

    @Test
    @Rule(11)
    void outOfBoundsExtensionIsRejected() {
        Jvm a = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            refused(() -> hold.extend(Duration.ofMillis(10)), "lease");
            refused(() -> hold.extend(Duration.ofDays(2)), "lease");
            refused(() -> hold.extendAsync(Duration.ofMillis(10)).await().atMost(SOON), "lease");
            assertHeld(hold);
        }
    }

    @Test
    @Rule(8)
    void maximumWaitIsAccepted() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var waiting = start(() -> b.lock(name()).tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)));
        awaitWaiters(a, name(), 1);
        hold.close();
        get(waiting).orElseThrow().close();
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String what) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(what);
    }
}
