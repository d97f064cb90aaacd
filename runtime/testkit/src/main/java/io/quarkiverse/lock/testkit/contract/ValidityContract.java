package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** What a handle says about itself is true, without a request to the store. */
public abstract class ValidityContract extends ContractTest {

    private static final int PARTITIONED_AT_ONCE = 100;

    @Test
    @Rule(2)
    void validForAtMostLeaseMinusMargin() {
        Jvm a = jvm();
        try (LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(10)).acquire()) {
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(9));
        }
        try (LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(100)).acquire()) {
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(80), Duration.ofSeconds(98));
        }
    }

    @Test
    @Rule(2)
    void validityEndsWithRelease() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        hold.close();
        assertThat(hold.isValid()).isFalse();
        assertThat(hold.validFor()).isZero();
        try (LockHandle next = a.lock(name()).acquire()) {
            assertThat(hold.isValid()).isFalse();
            assertHeld(next);
        }
    }

    @Test
    @Rule({ 1, 2 })
    @Fault(1)
    void fault01_expiredHolderKnowsBeforeNextGrant() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        for (int i = 0; i < times(3); i++) {
            var succession = new Succession(a.lockWithoutRenewal(name(), SHORT_LEASE).acquire(), b);
            Await.until("it has a successor", SOON, () -> {
                succession.sample();
                return succession.isDone();
            });
            succession.check();
            succession.first().close();
            assertHeld(succession.next());
            succession.next().close();
        }
    }

    @Test
    @Rule({ 2, 5 })
    @Needs(Ability.CUT)
    @Fault(16)
    void fault16_partitionedHolderKnowsBeforeNextGrant() throws Exception {
        Jvm b = jvm();
        int runs = times(200, 3);
        for (int begun = 0; begun < runs; begun += PARTITIONED_AT_ONCE) {
            partition(b, begun, Math.min(runs, begun + PARTITIONED_AT_ONCE));
        }
    }

    private void partition(Jvm b, int from, int to) throws Exception {
        Link.Linked linked = environment().linked("partitioned");
        Jvm a = jvmOver(linked.backend());
        List<Succession> successions = new ArrayList<>();
        for (int i = from; i < to; i++) {
            successions.add(new Succession(a, b, name() + i, SHORT_LEASE));
        }
        Await.until("all are waited for", SOON, () -> successions.stream()
                .allMatch(each -> each.isDone() || environment().waiters(b, each.first().name()) > 0));
        linked.link().cut();
        Await.until("all have a successor", Duration.ofSeconds(30), () -> {
            successions.forEach(Succession::sample);
            return successions.stream().allMatch(Succession::isDone);
        });
        successions.forEach(Succession::check);
        linked.link().heal();
        Await.during("lost stays lost", Duration.ofMillis(200),
                () -> successions.stream().noneMatch(each -> each.first().isValid()));
        for (Succession each : successions) {
            each.first().close();
            assertHeld(each.next());
            each.next().close();
        }
        a.close();
    }

    @Test
    @Rule(2)
    @Needs(Ability.CUT)
    void holdSurvivesPartitionShorterThanLease() {
        Link.Linked linked = environment().linked("partitioned");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        try (LockHandle hold = a.lock(name(), Duration.ofSeconds(9)).acquire()) {
            linked.link().cut();
            Await.during("valid without an answer, beyond the first renewal", Duration.ofSeconds(4), hold::isValid);
            linked.link().heal();
            // Without a renewal at most five seconds remain, and soon none
            Await.until("renewed", SOON, () -> hold.validFor().compareTo(Duration.ofSeconds(6)) > 0);
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Rule(2)
    void leaseCanBeExtended() {
        Jvm a = jvm();
        try (LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(20)).acquire()) {
            hold.extend(Duration.ofSeconds(60));
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(58));
            assertThat(a.locks().inspect(name()).orElseThrow().holders().get(0).remaining())
                    .isGreaterThan(Duration.ofSeconds(40));
            hold.extendAsync(Duration.ofSeconds(90)).await().atMost(SOON);
            assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(65));
        }
    }

    @Test
    @Rule(2)
    @Fault(130)
    void fault130_leaseCanBeShortened() {
        Jvm a = jvm();
        try (LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(60)).acquire()) {
            hold.extend(Duration.ofSeconds(30));
            assertThat(hold.validFor()).as("an extension is never shorter").isGreaterThan(Duration.ofSeconds(40));
            hold.changeLease(Duration.ofSeconds(20));
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(18));
            hold.changeLeaseAsync(Duration.ofSeconds(50)).await().atMost(SOON);
            assertThat(hold.validFor()).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(48));
        }
    }

    @Test
    @Rule(2)
    @Fault(130)
    void fault130_validityShrinksEvenIfShorteningFails() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle hold = a.lockWithoutRenewal(name(), Duration.ofSeconds(60)).acquire();
        faulty.failRenewals(1);
        assertThatThrownBy(() -> hold.changeLease(Duration.ofSeconds(20))).isInstanceOf(LockBackendException.class);
        assertThat(hold.validFor()).as("the store may have shortened the lease").isLessThan(Duration.ofSeconds(19));
        hold.close();
    }

    @Test
    @Rule({ 2, 8 })
    @Needs(Ability.STORE_LEASES)
    @Fault(130)
    void fault130_deadHolderKeepsLockOnlyForShorterLease() {
        FaultyBackend faulty = faulty();
        Jvm dead = jvmOver(faulty);
        Jvm b = jvm();
        LockHandle hold = dead.lock(name(), Duration.ofMinutes(5)).acquire();
        hold.changeLease(RENEWED_LEASE);
        Await.during("it is renewed for as long as that", RENEWED_LEASE.plusSeconds(1), hold::isValid);
        faulty.cut();
        assertThat(b.lock(name()).tryAcquire(SOON)).hasValueSatisfying(LockHandle::close);
    }
}
