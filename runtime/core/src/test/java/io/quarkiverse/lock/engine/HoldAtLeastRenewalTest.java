package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;

/** Renewals of a lock whose {@code holdAtLeast} is much longer than its lease. */
class HoldAtLeastRenewalTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration AT_LEAST = Duration.ofMinutes(55);
    private static final LockOptions HOURLY = LockOptions.DEFAULTS.withLease(LEASE).withHoldAtLeast(AT_LEAST);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private boolean gone;
    private boolean silent;
    private int renewals;
    private Duration asked;
    private Grant grant;
    private BackendListener listener;
    private CompletableFuture<Object> late;
    private final LockEngine here = engine(losing(new LocalBackend(store, "here")));
    private final LockEngine there = engine(new LocalBackend(store, "there"));
    private final LockManager locks = here.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = there.manager(ManagerDefaults.STANDARD);

    private LockEngine engine(LockBackend backend) {
        return LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start();
    }

    /** Once {@link #gone}, only a renewal detects the loss; while {@link #silent}, no request is executed. */
    private LockBackend losing(LocalBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, args) -> {
                    if (method.getName().equals("start")) {
                        listener = (BackendListener) args[0];
                    }
                    if (silent && method.getName().startsWith("release")) {
                        return Uni.createFrom().failure(new IllegalStateException("silent"));
                    }
                    if (method.getName().equals("renew")) {
                        @SuppressWarnings("unchecked")
                        var grants = (List<? extends Grant>) args[0];
                        renewals++;
                        grant = grants.get(0);
                        if (silent) {
                            return Uni.createFrom().item(new Renewal(List.of(), List.of(), grants));
                        }
                        asked = Duration.ofNanos(grants.get(0).leaseNanos());
                        if (gone) {
                            return Uni.createFrom().item(new Renewal(List.of(), grants, List.of()));
                        }
                    }
                    try {
                        if (late != null && method.getName().equals("acquire")) {
                            Object granted = ((Uni<?>) method.invoke(backend, args)).await().indefinitely();
                            return Uni.createFrom().completionStage(late).replaceWith(granted);
                        }
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void fault527_lateNodeDeathKeepsNameNoLongerThanPromised() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        for (int minute = 0; minute < 55; minute++) {
            assertThat(kept()).as("after %s minutes", minute).isBetween(AT_LEAST.minusMinutes(minute),
                    AT_LEAST.minusMinutes(minute).plus(LEASE));
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(kept()).as("like any lock").isBetween(Duration.ofSeconds(19), LEASE);
        time.advance(Duration.ofMinutes(10));
        assertThat(hold.isValid()).isTrue();
        assertThat(kept()).isBetween(Duration.ofSeconds(19), LEASE);
        hold.close();
        assertThat(elsewhere.inspect("a")).isEmpty();
    }

    /** A renewal restores the name at a store that has lost its data. */
    @Test
    void fault527_renewalRequestsTheRemainingTime() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        time.advance(Duration.ofMinutes(20));
        assertThat(asked).isBetween(Duration.ofMinutes(35), Duration.ofMinutes(35).plus(LEASE.dividedBy(3)));
        hold.close();
    }

    @Test
    void fault527_timeStartsWhenHolderReceivesTheGrant() {
        late = new CompletableFuture<>();
        var hold = locks.lock("a", HOURLY).acquireAsync().subscribeAsCompletionStage();
        time.advance(Duration.ofSeconds(9));
        late.complete("at last");
        time.advance(LEASE);
        assertThat(kept()).isGreaterThanOrEqualTo(AT_LEAST.minus(LEASE));
        hold.join().close();
    }

    @Test
    void fault527_lossIsDetectedAsSoonAsUsual() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        time.advance(Duration.ofMinutes(3));
        gone = true;
        time.advance(LEASE.dividedBy(3));
        assertThat(hold.isValid()).isFalse();
    }

    @Test
    void fault527_holdIsRenewedNoMoreOftenThanUsual() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        time.advance(Duration.ofMinutes(10));
        assertThat(renewals).isBetween(59, 61);
        hold.close();
    }

    @Test
    void fault527_maxHoldEndsTheHoldButNameStaysTaken() {
        LockHandle hold = locks.lock("a", HOURLY.withMaxHold(Duration.ofMinutes(10))).acquire();
        assertThat(hold.validFor()).isLessThanOrEqualTo(Duration.ofMinutes(10).plus(LEASE));
        time.advance(Duration.ofMinutes(9).plusSeconds(59));
        assertThat(hold.isValid()).isTrue();
        time.advance(LEASE.plusSeconds(1));
        assertThat(hold.isValid()).isFalse();
        time.advance(Duration.ofMinutes(44));
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("before the time is over").isEmpty();
        time.advance(Duration.ofSeconds(40));
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent().hasValueSatisfying(LockHandle::close);
        hold.close();
    }

    @Test
    void fault527_explicitExtensionIsGranted() {
        LockHandle hold = locks.lock("a", HOURLY.withMaxHold(Duration.ofMinutes(10))).acquire();
        time.advance(Duration.ofMinutes(5));
        hold.extend(Duration.ofHours(2));
        assertThat(hold.validFor()).isGreaterThan(Duration.ofMinutes(119));
        hold.close();
        assertThat(kept()).isEqualTo(Duration.ofMinutes(50));
    }

    @Test
    void fault527_changedTimeAppliesToRunningHold() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(LEASE)).acquire();
        hold.changeHoldAtLeast(AT_LEAST);
        time.advance(Duration.ofMinutes(50));
        assertThat(kept()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(5).plus(LEASE));
        hold.changeHoldAtLeast(Duration.ZERO);
        time.advance(Duration.ofMinutes(6));
        assertThat(kept()).isBetween(Duration.ofSeconds(19), LEASE);
        hold.close();
    }

    @Test
    void fault527_unansweredChangeKeepsTheUsualLease() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(LEASE)).acquire();
        silent = true;
        assertThatThrownBy(() -> hold.changeHoldAtLeast(AT_LEAST)).isInstanceOf(LockBackendException.class);
        silent = false;
        time.advance(LEASE);
        assertThat(hold.isValid()).isTrue();
        assertThat(asked).isEqualTo(LEASE);
        hold.close();
    }

    @Test
    void fault527_downgradedHoldReturnsToUsualLease() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        hold.changeHoldAtLeast(Duration.ZERO);
        hold.downgrade();
        time.advance(Duration.ofMinutes(1));
        LockHandle other = locks.lock("a", LockOptions.DEFAULTS.withLease(LEASE).withMode(LockMode.SHARED)).acquire();
        time.advance(Duration.ofMinutes(55));
        assertThat(kept()).isBetween(Duration.ofSeconds(19), LEASE);
        assertThat(hold.isValid()).isTrue();
        assertThat(other.isValid()).isTrue();
        hold.close();
        other.close();
    }

    @Test
    void fault527_unrenewedLockIsKeptForTheLongerTime() {
        LockHandle hold = locks.lock("a", HOURLY.withRenew(false)).acquire();
        time.advance(Duration.ofMinutes(54));
        assertThat(hold.isValid()).isTrue();
        time.advance(Duration.ofMinutes(1));
        assertThat(hold.isValid()).isFalse();
        assertThat(renewals).isZero();
    }

    @Test
    void fault527_changedHoldIsRenewedAsOftenAsUsual() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(LEASE)).acquire();
        hold.changeHoldAtLeast(AT_LEAST);
        renewals = 0;
        time.advance(LEASE.dividedBy(3));
        assertThat(renewals).isOne();
        gone = true;
        time.advance(LEASE.dividedBy(3));
        assertThat(hold.isValid()).isFalse();
    }

    @Test
    void fault527_maxHoldEndsChangedHoldWithinALease() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(LEASE).withMaxHold(Duration.ofMinutes(10))).acquire();
        hold.changeHoldAtLeast(AT_LEAST);
        assertThat(hold.validFor()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(10).plus(LEASE));
        time.advance(Duration.ofMinutes(9).plusSeconds(59));
        assertThat(hold.isValid()).isTrue();
        time.advance(LEASE.plusSeconds(1));
        assertThat(hold.isValid()).isFalse();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("before the time is over").isEmpty();
    }

    @Test
    void fault527_failedChangeHasNoEffect() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(LEASE)).acquire();
        silent = true;
        assertThatThrownBy(() -> hold.changeHoldAtLeast(AT_LEAST)).isInstanceOf(LockBackendException.class);
        silent = false;
        hold.close();
        assertThat(elsewhere.inspect("a")).isEmpty();
    }

    @Test
    void fault527_outageDoesNotShortenThePromisedTime() {
        LockHandle hold = outage();
        assertThat(grant.keptAt(time.nanoTime())).as("restores it at a store that has lost it").isTrue();
        listener.suspect(grant);
        assertThat(hold.validFor()).isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        silent = false;
        time.advance(LEASE);
        assertThat(hold.isValid()).isTrue();
        assertThat(asked).isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        assertThat(kept()).as("no longer than promised").isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        hold.close();
    }

    @Test
    void fault527_releaseIsRetriedWhileTheNameIsKept() {
        LockHandle hold = outage();
        hold.changeHoldAtLeast(Duration.ZERO);
        hold.close();
        time.advance(Duration.ofMinutes(1));
        silent = false;
        assertThat(elsewhere.inspect("a")).isPresent();
        time.advance(LEASE);
        assertThat(elsewhere.inspect("a")).isEmpty();
    }

    @Test
    void fault527_downgradedHoldKeepsThePromisedTime() {
        LockHandle hold = outage();
        hold.changeHoldAtLeast(Duration.ZERO);
        hold.downgrade();
        assertThat(hold.validFor()).isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        hold.close();
    }

    /** A store that has lost its data keeps only what a renewal requests, but the holder relies on the earlier promise. */
    @Test
    void fault527_renewalCoversWhatTheHolderReliesOn() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        time.advance(Duration.ofMinutes(1));
        hold.changeHoldAtLeast(Duration.ZERO);
        for (int minute = 0; minute < 70; minute++) {
            time.advance(Duration.ofMinutes(1));
            assertThat(asked).as("after %s minutes", minute).isGreaterThan(hold.validFor());
            if (minute == 5) {
                hold.downgrade();
            }
        }
        assertThat(asked).isEqualTo(LEASE);
        hold.close();
    }

    @Test
    void fault527_shorterLeaseReplacesEarlierPromise() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        time.advance(Duration.ofMinutes(1));
        hold.changeHoldAtLeast(Duration.ZERO);
        hold.changeLease(LEASE.multipliedBy(2));
        assertThat(kept()).isEqualTo(LEASE.multipliedBy(2));
        assertThat(hold.validFor()).isLessThan(LEASE.multipliedBy(2));
        assertThat(grant.keptAt(time.nanoTime() + LEASE.multipliedBy(3).toNanos())).isFalse();
        hold.close();
    }

    @Test
    void fault527_unrenewedLockKeepsItsOnlyLease() {
        LockHandle hold = locks.lock("a", HOURLY.withRenew(false)).acquire();
        time.advance(Duration.ofMinutes(5));
        hold.changeHoldAtLeast(Duration.ZERO);
        here.recheck();
        time.advance(Duration.ofSeconds(1));
        assertThat(renewals).isOne();
        listener.suspect(grant);
        assertThat(hold.validFor()).isBetween(Duration.ofMinutes(49), Duration.ofMinutes(50));
        hold.close();
    }

    /** Forty minutes after the grant, with the last answer from the fifth minute. */
    private LockHandle outage() {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        time.advance(Duration.ofMinutes(5));
        silent = true;
        time.advance(Duration.ofMinutes(35));
        return hold;
    }

    /** How much longer the store keeps the name if this JVM dies now. */
    private Duration kept() {
        return elsewhere.inspect("a").orElseThrow().holders().get(0).remaining();
    }
}
