package io.quarkiverse.lock.deployment.lifecycle;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockDeadlockException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkus.test.QuarkusUnitTest;

/** With detection off no caller is rejected: callers wait for each other until one of the waits times out. */
class DeadlockDetectionOffTest {

    /** Long enough for several checks. */
    private static final Duration WAIT = Duration.ofMillis(1500);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.deadlock-detection", "off");

    @Inject
    LockManager locks;

    @Test
    void waitTimesOutWithoutDeadlockDetection() throws Exception {
        CountDownLatch bothHaveOne = new CountDownLatch(2);
        CompletableFuture<Object> shorter = nested("a", "b", WAIT, bothHaveOne);
        CompletableFuture<Object> longer = nested("b", "a", Duration.ofHours(1), bothHaveOne);
        assertThatThrownBy(() -> shorter.get(10, MINUTES)).isInstanceOf(ExecutionException.class)
                .cause().isInstanceOf(LockBusyException.class).isNotInstanceOf(LockDeadlockException.class);
        assertThat(longer.get(10, MINUTES)).isEqualTo("done");
    }

    private CompletableFuture<Object> nested(String outer, String inner, Duration wait, CountDownLatch bothHaveOne) {
        var outcome = new CompletableFuture<Object>();
        new Thread(() -> {
            try {
                outcome.complete(locks.lock(outer).call(() -> {
                    bothHaveOne.countDown();
                    bothHaveOne.await();
                    return locks.lock(inner, LockOptions.DEFAULTS.withWaitFor(wait)).call(() -> "done");
                }));
            } catch (Throwable e) {
                outcome.completeExceptionally(e);
            }
        }).start();
        return outcome;
    }
}
