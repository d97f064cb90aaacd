package io.quarkiverse.lock.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.FaultyBackend;
import io.quarkiverse.lock.testkit.contract.Jvm;
import io.quarkiverse.lock.testkit.contract.Needs;
import io.quarkiverse.lock.testkit.contract.Scale;

/** The store itself goes away and comes back. */
public abstract class StoreFaults extends FaultSuite {

    private static final Duration LEASE = Duration.ofSeconds(45);

    @Test
    @Fault(66)
    @Needs(Ability.RESTART_STORE)
    @ResourceLock(SERVER)
    void fault66_restartKeepsManyLocksWithoutRenewalStorm() {
        FaultyBackend counting = faulty();
        Jvm a = jvmOver(counting);
        Jvm b = jvm();
        int count = Scale.times(1_000, 50);
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            holds.add(a.lock(name() + i, LEASE).acquire());
        }
        int before = counting.renewals();
        environment().restartStore();
        long rechecked = count;
        Await.until("all have been checked", SOON, () -> counting.renewals() - before >= rechecked);
        Await.during("all are valid", Duration.ofSeconds(3), () -> holds.stream().allMatch(LockHandle::isValid));
        assertThat(counting.renewals() - before).as("renewals of %s locks after the restart", count)
                .isLessThanOrEqualTo(4 * count);
        assertThat(a.count(Kind.LOST)).isZero();
        assertThat(b.lock(name() + (count - 1)).tryAcquire(Duration.ZERO)).isEmpty();
        long fence = holds.get(0).fencingToken();
        holds.forEach(LockHandle::close);
        try (LockHandle next = b.lock(name() + 0).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(fence);
        }
    }
}
