package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** A caller that checks a handle before the renewals do detects its end, and reports the same reason as they would. */
class LossReasonTest {

    private static final LockOptions SHORT = LockOptions.DEFAULTS.withLease(Duration.ofSeconds(2));

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void unrenewedLeaseReportsItsEnd() {
        assertThat(reasonAfterTheLease(SHORT.withRenew(false))).contains("it is no longer renewed");
    }

    @Test
    void renewedLeaseReportsFailedRenewal() {
        assertThat(reasonAfterTheLease(SHORT)).contains("without a successful renewal");
    }

    private String reasonAfterTheLease(LockOptions options) {
        LockHandle handle = locks.lock("a", options).acquire();
        time.pause(Duration.ofSeconds(3));
        assertThat(handle.isValid()).isFalse();
        return handle.lost().toCompletableFuture().join().getMessage();
    }
}
