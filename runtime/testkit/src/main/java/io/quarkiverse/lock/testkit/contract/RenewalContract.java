package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;

/** A hold lives as long as its holder wants, and not longer. */
public abstract class RenewalContract extends ContractTest {

    private static final Duration LEASE = Duration.ofMillis(1500);

    @Test
    @Rule(11)
    void holdsForManyLeases() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            holds.add(a.lock(name() + i, LEASE).acquire());
        }
        Await.during("all are valid", LEASE.multipliedBy(3), () -> holds.stream().allMatch(LockHandle::isValid));
        assertThat(b.lock(name() + 7).tryAcquire(Duration.ZERO)).isEmpty();
        holds.forEach(LockHandle::close);
    }

    @Test
    @Rule(11)
    void fault14_aLostRenewalIsRepeatedInTime() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        try (LockHandle hold = a.lock(name(), LEASE).acquire()) {
            for (int i = 1; i <= 3; i++) {
                faulty.failRenewals(2);
                long expected = i;
                Await.until("suspected for the time " + i, SOON, () -> a.count(Kind.SUSPECT) >= expected);
                assertHeld(hold);
                Await.until("confirmed again", LEASE, () -> hold.validFor().compareTo(Duration.ofMillis(1200)) > 0);
            }
            assertThat(a.count(Kind.LOST)).isZero();
            assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Rule(11)
    void fault18_aRenewalThatThrowsDoesNotEndTheRenewing() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        try (LockHandle hold = a.lock(name(), LEASE).acquire()) {
            var renewals = new ArrayList<Integer>();
            Await.during("valid although renewals throw", LEASE.multipliedBy(3), () -> {
                if (renewals.isEmpty() || renewals.get(renewals.size() - 1) != faulty.renewals()) {
                    renewals.add(faulty.renewals());
                    if (renewals.size() % 2 == 1) {
                        faulty.throwOnRenewals(1);
                    }
                }
                return hold.isValid();
            });
            assertThat(renewals).hasSizeGreaterThan(5);
        }
    }

    @Test
    @Rule({ 2, 11 })
    void fault18_aHoldThatCannotBeRenewedIsLostAtItsDeadline() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        Jvm b = jvm();
        LockHandle hold = a.lock(name(), LEASE).acquire();
        faulty.throwOnRenewals(1_000_000);
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(LEASE.plusSeconds(1));
        assertThat(a.count(Kind.RETRIED)).isGreaterThan(1);
        faulty.throwOnRenewals(0);
        assertThat(hold.isValid()).isFalse();
        b.lock(name()).acquire().close();
        hold.close();
    }

    @Test
    @Rule(11)
    void fault17_busyThreadsDoNotDelayRenewals() {
        var done = new AtomicBoolean();
        Jvm a = jvm();
        try (LockHandle hold = a.lock(name(), LEASE).acquire()) {
            for (int i = 0; i < 64; i++) {
                ForkJoinPool.commonPool().execute(() -> {
                    while (!done.get()) {
                        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                    }
                });
                a.engine().threads().workers().execute(() -> {
                    while (!done.get()) {
                        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                    }
                });
            }
            Await.during("valid", LEASE.multipliedBy(2), hold::isValid);
        } finally {
            done.set(true);
        }
    }

    @Test
    @Rule(11)
    void aReleasedHoldIsNeverRenewedAgain() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle hold = a.lock(name(), LEASE).acquire();
        Await.until("renewed once", SOON, () -> faulty.renewals() > 0);
        hold.close();
        int renewals = faulty.renewals();
        Await.during("not renewed", LEASE, () -> faulty.renewals() == renewals);
    }

    @Test
    @Rule(11)
    void maxHoldEndsTheRenewals() {
        Jvm a = jvm();
        LockHandle hold = a.locks().lock(name(), LockOptions.DEFAULTS.withLease(SHORT_LEASE)
                .withMaxHold(Duration.ofMillis(1500))).acquire();
        Await.during("renewed up to there", Duration.ofMillis(1400), hold::isValid);
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(4));
        assertThat(hold.lost().toCompletableFuture().join()).hasMessageContaining("max-hold");
        hold.close();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(11)
    void withoutRenewalTheLeaseEnds() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle hold = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(3));
        hold.close();
        assertBecomesFree(jvm(), name(), SOON);
    }
}
