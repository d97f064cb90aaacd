package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.testkit.Await;

/**
 * After a lease has ended without a release, nobody gets the lock for some time. For backends with
 * {@link io.quarkiverse.lock.spi.Feature#AFTER_LOSS_DELAY}.
 */
@Needs(features = Feature.AFTER_LOSS_DELAY)
public abstract class AfterLossContract extends ContractTest {

    private static final Duration DELAY = Duration.ofSeconds(2);
    /** Much longer than what is measured. */
    private static final Duration LONG = Duration.ofMinutes(5);

    @Test
    void nextHolderWaitsForLeaseAndDelay() {
        Jvm a = delayed(DELAY);
        Jvm b = jvm();
        long before = System.nanoTime();
        LockHandle lost = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        assertThat(lost.validFor()).as("the holder's validity ends with the lease").isLessThan(SHORT_LEASE);
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(since(before)).isGreaterThan(SHORT_LEASE.plus(DELAY).minus(OTHER_CLOCK));
            assertThat(lost.isValid()).isFalse();
            assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
        }
    }

    @Test
    @Needs(features = Feature.SHARED)
    void lostReaderDelaysNextHolder() {
        Jvm a = delayed(DELAY);
        Jvm b = jvm();
        long before = System.nanoTime();
        LockHandle lost = a.locks().lock(name(), LockOptions.DEFAULTS.withMode(LockMode.SHARED).withLease(SHORT_LEASE)
                .withRenew(false)).acquire();
        b.lock(name()).tryAcquire(SOON).orElseThrow().close();
        assertThat(since(before)).isGreaterThan(SHORT_LEASE.plus(DELAY).minus(OTHER_CLOCK));
        assertThat(lost.isValid()).isFalse();
    }

    @Test
    @Needs(features = Feature.SHARED)
    void releaseSkipsTheDelay() {
        Jvm a = delayed(LONG);
        a.lock(name()).acquire().close();
        a.shared(name()).acquire().close();
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void forcedReleaseSkipsTheDelay() {
        Jvm a = delayed(LONG);
        LockHandle taken = a.lock(name(), WATCHED_LEASE).acquire();
        Jvm b = jvm();
        assertThat(b.locks().forceRelease(name())).isTrue();
        assertThat(b.lock(name()).tryAcquire(SOON)).isPresent();
        Await.until("the holder is notified", SOON, () -> !taken.isValid());
    }

    @Test
    void closingLostHoldEndsTheDelay() {
        Jvm a = delayed(LONG);
        LockHandle lost = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        Jvm b = jvm();
        Await.until("its lease ends", SOON, () -> !lost.isValid());
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        lost.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    void renewalIntervalIgnoresTheDelay() {
        Jvm a = delayed(LONG);
        try (LockHandle hold = a.lock(name(), RENEWED_LEASE).acquire()) {
            Await.during("it is renewed", RENEWED_LEASE.plusSeconds(1), hold::isValid);
            hold.extend(Duration.ofSeconds(20));
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        }
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    void handOffInsideJvmSkipsTheDelay() throws Exception {
        Jvm a = delayed(LONG);
        DistributedLock lock = a.lock(name());
        LockHandle hold = lock.acquire();
        var next = start(lock::acquire);
        awaitRequests(a, 2);
        hold.close();
        get(next).close();
        assertBecomesFree(jvm(), name(), SOON);
    }

    private Jvm delayed(Duration delay) {
        return jvm("delayed", builder -> builder.afterLossDelay(delay));
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
