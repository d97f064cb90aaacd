package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.subscription.Cancellable;

/** By default one lock surrounds everything that fault tolerance does. The build warns about that. */
class FaultToleranceInsideTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Tolerant.class, Tolerant.All.class, TolerantFutures.class,
                    Held.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .setLogRecordPredicate(record -> record.getMessage().contains("mp.fault.tolerance.interceptor.priority"))
            .assertLogRecords(records -> {
                assertThat(records).extracting(record -> (String) record.getParameters()[0]).containsExactlyInAnyOrder(
                        Tolerant.class.getName() + ".retried", Tolerant.class.getName() + ".fallingBack",
                        Tolerant.class.getName() + ".limited", Tolerant.All.class.getName() + ".inherited",
                        TolerantFutures.class.getName() + ".future", TolerantFutures.class.getName() + ".stream");
                assertThat(records).allSatisfy(record -> assertThat(record.getMessage())
                        .contains("mp.fault.tolerance.interceptor.priority=155"));
                assertThat(records).extracting(record -> (String) record.getParameters()[1])
                        .containsExactlyInAnyOrder("@Retry", "@Fallback", "@Timeout", "@Bulkhead", "@Timeout", "@Timeout");
            });

    @Inject
    LockManager locks;

    @Inject
    Tolerant tolerant;

    @Inject
    TolerantFutures futures;

    @Inject
    Held held;

    @Test
    void fault126_retriesShareOneLock() {
        assertThat(tolerant.retried()).isEqualTo(3);
        assertThat(Tolerant.TOKENS).hasSize(3).containsOnly(Tolerant.TOKENS.get(0));
    }

    @Test
    void fault126_fallbackDoesNotSeeBusyLock() {
        try (LockHandle hold = locks.lock("fallback").acquire()) {
            assertThatThrownBy(() -> tolerant.fallingBack()).isInstanceOf(LockBusyException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault359_futureKeepsTheLockUntilComplete() {
        futures.future();
        Cancellable stream = futures.stream().subscribe().with(item -> {
        });
        assertThat(held.is("future")).isTrue();
        assertThat(held.is("stream")).isTrue();
        stream.cancel();
        assertThat(held.is("stream")).isFalse();
        TolerantFutures.END.complete("done");
        try (LockHandle hold = locks.lock("future").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }
}
