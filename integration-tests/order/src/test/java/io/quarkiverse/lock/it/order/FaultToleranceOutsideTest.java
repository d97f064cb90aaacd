package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.exceptions.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** With the priority from the warning, fault tolerance covers the whole call, including its wait for the lock. */
class FaultToleranceOutsideTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Tolerant.class, Tolerant.All.class, TolerantUnis.class,
                    Held.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("mp.fault.tolerance.interceptor.priority", "155")
            .setLogRecordPredicate(record -> record.getMessage().contains("mp.fault.tolerance.interceptor.priority"))
            .assertLogRecords(records -> assertThat(records).isEmpty());

    @Inject
    LockManager locks;

    @Inject
    Tolerant tolerant;

    @Inject
    TolerantUnis unis;

    @Inject
    Held held;

    @Test
    void fault126_eachRetryAcquiresTheLock() {
        assertThat(tolerant.retried()).isEqualTo(3);
        assertThat(Tolerant.TOKENS).hasSize(3).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void fault126_fallbackHandlesBusyLock() {
        try (LockHandle hold = locks.lock("fallback").acquire()) {
            assertThat(tolerant.fallingBack()).isEqualTo("instead");
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault126_timeoutEndsTheWait() {
        try (LockHandle hold = locks.lock("limited").acquire()) {
            assertThatThrownBy(() -> tolerant.limited()).isInstanceOf(TimeoutException.class);
            assertThat(hold.isValid()).isTrue();
            assertThat(locks.inspect("limited").orElseThrow().waiters()).isZero();
        }
    }

    @Test
    void fault359_lockIsHeldAfterTimeoutUntilMethodEnds() {
        assertThatThrownBy(() -> unis.limited().await().indefinitely()).isInstanceOf(TimeoutException.class);
        assertThat(held.is("limited")).isTrue();
        TolerantUnis.END.complete("done");
        try (LockHandle hold = locks.lock("limited").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    /** Fault tolerance subscribes to the nested method separately, so its lock waits for its own caller. */
    @Test
    void nestedUniIsSeparatePipeline() {
        assertThatThrownBy(() -> unis.around().await().indefinitely()).isInstanceOf(LockBusyException.class);
        assertThat(unis.nested().await().indefinitely()).isEqualTo("nested");
    }
}
