package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Feature;

/** Options of features that the backend lacks. */
class UnsupportedOptionsTest {

    private final AnsweringBackend backend = new AnsweringBackend();

    {
        backend.features = Set.of(Feature.ASYNC);
    }

    private final LockEngine engine = LockEngine.builder(backend).time(new VirtualTime())
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @Test
    void zeroHoldAtLeastNeedsNoBackendSupport() {
        assertThat(locks.lock("a", LockOptions.DEFAULTS.withHoldAtLeast(Duration.ZERO))).isNotNull();
        LockOptions second = LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofSeconds(1));
        assertThatThrownBy(() -> locks.lock("a", second)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remove holdAtLeast");
    }
}
