package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkus.test.QuarkusUnitTest;

/** A looping {@code @Locked} method can ask whether and for how long it holds its lock, and is notified of a loss. */
class ValidityInsideTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Exports.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.lease", "1h");

    @Inject
    Exports exports;

    @Inject
    LockManager locks;

    @Inject
    CurrentLock current;

    @Test
    void lockIsValidUntilLost() throws InterruptedException {
        assertThat(exports.untilLost(() -> locks.forceRelease("export"))).isEqualTo("valid: true, false; for: true, false");
    }

    @Test
    void lossOfOuterLockInvalidatesNestedMethod() throws InterruptedException {
        assertThat(exports.nested(() -> locks.forceRelease("around"))).isEqualTo("valid: true, false; for: true, false");
        assertThat(exports.nested(() -> locks.forceRelease("export"))).isEqualTo("valid: true, false; for: true, false");
    }

    @Test
    void callbackRunsOnceForSeveralLostLocks() throws InterruptedException {
        AtomicInteger told = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(3);
        exports.inBoth(() -> {
            current.onLost(() -> {
                told.incrementAndGet();
                all.countDown();
            });
            locks.forceRelease("first");
            current.onLost(all::countDown); // at once
            locks.forceRelease("second");
            locks.forceRelease("first");
            current.onLost(all::countDown);
        });
        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(told).hasValue(1);
    }

    @Test
    void nestedMethodListensOnlyUntilItReturns() {
        AtomicInteger inner = new AtomicInteger();
        CountDownLatch outer = new CountDownLatch(1);
        exports.around(() -> {
            current.onLost(outer::countDown); // the first listener is notified last
            for (int i = 0; i < 10; i++) {
                exports.whole(() -> current.onLost(inner::incrementAndGet));
                exports.around(() -> current.onLost(inner::incrementAndGet)); // the same lock again
            }
            locks.forceRelease("around");
            assertThat(outer).as("the outer method is notified").satisfies(told -> assertThat(
                    told.await(60, TimeUnit.SECONDS)).isTrue());
        });
        assertThat(inner).hasValue(0);
    }

    @Test
    void earlierLossIsReportedOnAnotherThread() {
        CountDownLatch known = new CountDownLatch(1);
        CompletableFuture<Thread> told = new CompletableFuture<>();
        exports.around(() -> {
            current.onLost(known::countDown);
            locks.forceRelease("around");
            assertThat(known).satisfies(loss -> assertThat(loss.await(60, TimeUnit.SECONDS)).isTrue());
            current.onLost(() -> told.complete(Thread.currentThread()));
        });
        assertThat(told).succeedsWithin(Duration.ofSeconds(60)).isNotSameAs(Thread.currentThread());
    }

    @Test
    void callbackDoesNotRunAfterNormalRelease() {
        AtomicInteger told = new AtomicInteger();
        exports.whole(() -> current.onLost(told::incrementAndGet));
        locks.forceRelease("export");
        assertThat(told).hasValue(0);
    }

    @Test
    void currentLockFailsOutsideLockScope() {
        assertThatThrownBy(() -> current.isValid()).isInstanceOf(IllegalStateException.class).hasMessageContaining("@Locked");
        assertThatThrownBy(() -> current.validFor()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> current.onLost(() -> {
        })).isInstanceOf(IllegalStateException.class);
    }

    @ApplicationScoped
    public static class Exports {

        @Inject
        CurrentLock lock;

        @Inject
        Exports self;

        @Locked(value = "export", onLost = OnLost.NOTIFY)
        String untilLost(Runnable lose) throws InterruptedException {
            boolean before = lock.isValid();
            Duration forBefore = lock.validFor();
            CountDownLatch lost = new CountDownLatch(1);
            lock.onLost(lost::countDown);
            lose.run();
            if (!lost.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody was told");
            }
            return "valid: " + before + ", " + lock.isValid() + "; for: " + !forBefore.isZero() + ", "
                    + !lock.validFor().isZero();
        }

        @Locked(value = "around", onLost = OnLost.NOTIFY)
        String nested(Runnable lose) throws InterruptedException {
            return self.untilLost(lose);
        }

        @Locked(value = "around", onLost = OnLost.NOTIFY)
        void around(Runnable body) {
            body.run();
        }

        @Locked(value = { "first", "second" }, onLost = OnLost.NOTIFY)
        void inBoth(Runnable body) {
            body.run();
        }

        @Locked("export")
        void whole(Runnable body) {
            body.run();
        }
    }
}
