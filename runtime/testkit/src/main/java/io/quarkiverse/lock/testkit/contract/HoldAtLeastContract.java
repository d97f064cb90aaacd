package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/**
 * A name stays taken for some time after the grant, although nobody holds it. For backends with
 * {@link io.quarkiverse.lock.spi.Feature#HOLD_AT_LEAST}.
 */
@Needs(features = Feature.HOLD_AT_LEAST)
public abstract class HoldAtLeastContract extends ContractTest {

    private static final Duration AT_LEAST = Duration.ofSeconds(2);
    /** Much longer than what is measured. */
    private static final Duration LEASE = Duration.ofMinutes(5);

    @Test
    void nameStaysTakenAfterEarlyRelease() {
        Jvm a = jvm();
        Jvm b = jvm();
        long before = System.nanoTime();
        long token;
        try (LockHandle hold = lock(a, AT_LEAST, LEASE).acquire()) {
            token = hold.fencingToken();
        }
        assertThat(tooEarly(b, before)).isFalse();
        assertThat(tooEarly(a, before)).as("in this JVM too").isFalse();
        assertThat(a.locks().held()).as("holds of this JVM").isEmpty();
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(since(before)).isGreaterThan(AT_LEAST.minus(OTHER_CLOCK));
            assertThat(next.fencingToken()).isGreaterThan(token);
        }
    }

    @Test
    void waiterGetsNameAfterHoldAtLeast() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        long before = System.nanoTime();
        LockHandle hold = lock(a, AT_LEAST, LEASE).acquire();
        var there = start(() -> b.lock(name()).tryAcquire(SOON).orElseThrow());
        var here = start(() -> a.lock(name()).tryAcquire(SOON).orElseThrow());
        awaitWaiters(a, name(), 1);
        hold.close();
        var first = get(java.util.concurrent.CompletableFuture.anyOf(there, here));
        assertThat(since(before)).isGreaterThan(AT_LEAST.minus(OTHER_CLOCK));
        ((LockHandle) first).close();
        get(there).close();
        get(here).close();
    }

    @Test
    void holdAtLeastOutlivesItsJvm() {
        Jvm a = jvm();
        Jvm b = jvm();
        long before = System.nanoTime();
        lock(a, AT_LEAST, LEASE).acquire().close();
        a.close();
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(since(before)).isGreaterThan(AT_LEAST.minus(OTHER_CLOCK));
            assertHeld(next);
        }
    }

    @Test
    void holdAtLeastMayExceedTheLease() {
        Jvm a = jvm();
        Jvm b = jvm();
        long before = System.nanoTime();
        lock(a, AT_LEAST, SHORT_LEASE).acquire().close();
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(since(before)).isGreaterThan(AT_LEAST.minus(OTHER_CLOCK));
            assertHeld(next);
        }
    }

    /** A node that dies late must not keep the name for the full time again. */
    @Test
    @Fault(527)
    void fault527_renewalDoesNotRestartHoldAtLeast() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = lock(a, RENEWED_LEASE.multipliedBy(2), RENEWED_LEASE).acquire();
        long granted = System.nanoTime();
        Await.until("half a lease is left of it", SOON,
                () -> since(granted).compareTo(RENEWED_LEASE.multipliedBy(3).dividedBy(2)) > 0);
        assertThat(shown(b).remaining()).as("the remaining time, or a lease")
                .isLessThanOrEqualTo(RENEWED_LEASE.plus(OTHER_CLOCK));
        hold.close();
    }

    /** A hanging job ends because its loss interrupts it. The next node must not run it early for that reason. */
    @Test
    @Fault(550)
    void fault550_closingLostHoldDoesNotEndHoldAtLeast() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        long before = System.nanoTime();
        LockHandle hold = a.locks().lock(name(), LockOptions.DEFAULTS.withLease(SHORT_LEASE).withHoldAtLeast(AT_LEAST)
                .withMaxHold(Duration.ofMillis(1))).acquire();
        get(hold.lost().toCompletableFuture());
        hold.close();
        assertThat(tooEarly(b, before)).isFalse();
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(since(before)).isGreaterThan(AT_LEAST.minus(OTHER_CLOCK));
            assertThat(next.fencingToken()).isGreaterThan(hold.fencingToken());
        }
    }

    @Test
    @Needs(features = Feature.REQUEST_RELEASE)
    void requestedReleaseHonorsHoldAtLeast() {
        Jvm a = jvm();
        Jvm b = jvm();
        long before = System.nanoTime();
        LockHandle hold = lock(a, AT_LEAST, LEASE).acquire();
        assertThat(b.locks().requestRelease(name())).isTrue();
        hold.close();
        assertThat(a.count(Kind.LOST)).isZero();
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(since(before)).isGreaterThan(AT_LEAST.minus(OTHER_CLOCK));
            assertHeld(next);
        }
    }

    @Test
    @Needs(features = Feature.REQUEST_RELEASE)
    void releaseCannotBeRequestedOfKeptName() {
        Jvm a = jvm();
        Jvm b = jvm();
        lock(a, Duration.ofMinutes(5), LEASE).acquire().close();
        assertThat(b.locks().requestRelease(name())).as("its holder has finished, and only keeps the name").isFalse();
        assertThat(a.locks().requestRelease(name())).isFalse();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(b.locks().forceRelease(name())).isTrue();
        try (LockHandle next = lock(b, Duration.ZERO, LEASE).acquire()) {
            assertThat(a.locks().requestRelease(name())).as("of the current holder").isTrue();
            assertHeld(next);
        }
    }

    @Test
    @Fault(374)
    void fault374_keptNameIsShownAsFinished() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = lock(a, LEASE, LEASE).acquire();
        String owner = shown(b).owner();
        hold.close();
        assertThat(shown(b).owner()).isEqualTo("finished, kept by " + owner);
        assertThat(shown(a)).satisfies(it -> {
            assertThat(it.owner()).isEqualTo("finished, kept by " + owner);
            assertThat(it.fencingToken()).isEqualTo(hold.fencingToken());
            assertThat(it.remaining()).isPositive().isLessThanOrEqualTo(LEASE.plus(OTHER_CLOCK));
        });
    }

    @Test
    @Needs(features = Feature.LIST)
    @Fault(374)
    void fault374_keptNameIsListedAsFinished() {
        Jvm a = jvm();
        lock(a, LEASE, LEASE).acquire().close();
        assertThat(jvm().listed(LockQuery.ALL.withPrefix(name()))).singleElement()
                .satisfies(lock -> assertThat(lock.holders()).singleElement()
                        .satisfies(it -> assertThat(it.owner()).startsWith("finished, kept by ")));
    }

    private LockInfo.Holder shown(Jvm to) {
        List<LockInfo.Holder> holders = to.locks().inspect(name()).orElseThrow().holders();
        assertThat(holders).hasSize(1);
        return holders.get(0);
    }

    /** The renewal was on its way when the holder released. */
    @Test
    @Rule(3)
    @Fault(474)
    void fault474_lateRenewalDoesNotProlongHoldAtLeast() {
        LockBackend backend = jvm().engine().backend();
        Jvm b = jvm();
        Grant grant = (Grant) backend.acquire(new Claim(name(), name().hashCode(), 1, LockMode.EXCLUSIVE, 0, LEASE.toNanos(),
                false)).await().atMost(SOON);
        backend.releaseAfter(grant, AT_LEAST.toNanos()).await().atMost(SOON);
        backend.renew(List.of(grant)).await().atMost(SOON); // whatever it says: nobody holds it any more
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertHeld(next);
        }
    }

    @Test
    void longerHoldIsFreeOnceReleased() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = lock(a, Duration.ofMillis(100), LEASE).acquire();
        long granted = System.nanoTime();
        Await.until("more time has passed", SOON, () -> since(granted).toMillis() > 150);
        hold.close();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void failedAcquireAllKeepsNoName() {
        Jvm a = jvm();
        Jvm b = jvm();
        String busy = name() + "-z";
        LockOptions options = LockOptions.DEFAULTS.withLease(LEASE).withHoldAtLeast(LEASE);
        try (LockHandle hold = b.lock(busy).acquire()) {
            assertThat(a.locks().all(options, name(), busy).tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isPresent().hasValueSatisfying(LockHandle::close);
            assertThat(a.locks().all(options, name(), busy).tryAcquireAsync(Duration.ZERO).await().atMost(SOON)).isEmpty();
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isPresent().hasValueSatisfying(LockHandle::close);
            assertHeld(hold);
        }
    }

    @Test
    @Fault(130)
    void fault130_holdAtLeastCanBeRaisedWhileHeld() {
        Jvm a = jvm();
        Jvm b = jvm();
        long before = System.nanoTime();
        LockHandle hold = lock(a, Duration.ZERO, RENEWED_LEASE).acquire();
        hold.changeHoldAtLeast(Duration.ofMinutes(1));
        assertThat(hold.validFor()).as("the name stays taken for longer than the lease").isGreaterThan(RENEWED_LEASE);
        hold.changeHoldAtLeast(AT_LEAST);
        hold.close();
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(since(before)).isGreaterThan(AT_LEAST.minus(OTHER_CLOCK));
            assertHeld(next);
        }
    }

    @Test
    @Fault(130)
    void fault130_holdAtLeastCanBeLoweredWhileHeld() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = lock(a, Duration.ofMinutes(4), LEASE).acquire();
        hold.changeLease(Duration.ofSeconds(2));
        assertThat(hold.validFor()).as("bounded by the remaining time").isGreaterThan(Duration.ofMinutes(3));
        hold.changeHoldAtLeast(Duration.ZERO);
        hold.close();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).hasValueSatisfying(LockHandle::close);
    }

    @Test
    @Needs(features = Feature.LIMIT)
    @Fault(130)
    void fault130_limitedHolderCannotChangeHoldAtLeast() {
        Jvm a = jvm();
        try (LockHandle hold = a.limited(name(), 2).acquire()) {
            assertThatThrownBy(() -> hold.changeHoldAtLeast(AT_LEAST)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(name()).hasMessageContaining("exclusive");
            assertHeld(hold);
        }
    }

    @Test
    void forcedReleaseEndsHoldAtLeast() {
        Jvm a = jvm();
        Jvm b = jvm();
        lock(a, LEASE, LEASE).acquire().close();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(b.locks().forceRelease(name())).isTrue();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isPresent();
    }

    private DistributedLock lock(Jvm jvm, Duration atLeast, Duration lease) {
        return jvm.locks().lock(name(), LockOptions.DEFAULTS.withLease(lease).withHoldAtLeast(atLeast));
    }

    /** Whether the name is free too early. A machine that is too slow to check in time sees nothing. */
    private boolean tooEarly(Jvm jvm, long before) {
        var hold = jvm.lock(name()).tryAcquire(Duration.ZERO);
        boolean early = hold.isPresent() && since(before).compareTo(AT_LEAST.minus(OTHER_CLOCK)) < 0;
        hold.ifPresent(LockHandle::close);
        return early;
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
