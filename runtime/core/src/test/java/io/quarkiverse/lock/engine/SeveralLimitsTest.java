package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;

/** How long each of several names is held does not depend on how long its caller has waited for the others. */
class SeveralLimitsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration NEARLY_ALL = LEASE.minusSeconds(4);
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withLease(LEASE).withWaitFor(Duration.ofMinutes(10));
    private static final LockOptions ONCE = PATIENT.withRenew(false);
    private static final LockOptions SHORT = PATIENT.withMaxHold(LEASE);
    private static final LockOptions KEPT = PATIENT.withHoldAtLeast(Duration.ofMinutes(1));

    enum Caller {
        WAITING_THREAD,
        PIPELINE
    }

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final List<Kind> losses = new ArrayList<>();
    private Runnable whenParked = () -> {
    };
    private boolean silent;
    private boolean failing;
    private int renewals;
    private final LockEngine one = LockEngine.builder(watched(new LocalBackend(store, "one"))).time(new ParkedTime())
            .threads(CallerThreads.plain(Runnable::run)).listener(this::onEvent).start();
    private final LockEngine two = LockEngine.builder(new LocalBackend(store, "two")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = one.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = two.manager(ManagerDefaults.STANDARD);
    /** A loss does not fail the bodies that run under its locks. */
    private final LockManager careless = one
            .manager(new ManagerDefaults("careless", Duration.ofSeconds(10), LEASE, true, null, OnLost.NOTIFY));

    /** Keeps a released lock briefly for the next caller in this JVM. */
    private final LockManager lingering = one
            .manager(new ManagerDefaults("lingering", Duration.ofSeconds(10), LEASE, true, null,
                    OnLost.NOTIFY, Duration.ofMillis(200)));

    /** A waiting thread runs {@code whenParked} itself. */
    private final class ParkedTime extends ForwardedTime {

        ParkedTime() {
            super(time);
        }

        @Override
        public void park(Object blocker, long nanos) {
            Runnable meanwhile = whenParked;
            whenParked = () -> {
                throw new AssertionError("It waits once");
            };
            meanwhile.run();
        }
    }

    /** Counts renewed grants. While {@code silent}, the outcome of renewals is unknown; while {@code failing}, they fail. */
    private LockBackend watched(LocalBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, args) -> {
                    if (method.getName().equals("renew")) {
                        @SuppressWarnings("unchecked")
                        var grants = (List<? extends Grant>) args[0];
                        renewals += grants.size();
                        if (silent) {
                            return Uni.createFrom().item(new Renewal(List.of(), List.of(), grants));
                        }
                        if (failing) {
                            return Uni.createFrom().failure(new IllegalStateException("disturbed"));
                        }
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void onEvent(LockEvent event) {
        if (event.kind() == Kind.LOST) {
            losses.add(event.kind());
        }
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    /** Acquires "a" and "b", the second of which is busy that long. */
    private UniAssertSubscriber<LockHandle> both(Caller caller, LockOptions options, Duration busy) {
        return both(caller, options, () -> time.advance(busy));
    }

    private UniAssertSubscriber<LockHandle> both(Caller caller, LockOptions options, Runnable meanwhile) {
        LockHandle busy = elsewhere.lock("b").acquire();
        Runnable wait = () -> {
            meanwhile.run();
            busy.close();
        };
        var subscriber = UniAssertSubscriber.<LockHandle> create();
        if (caller == Caller.PIPELINE) {
            locks.all(options, "a", "b").acquireAsync().subscribe().withSubscriber(subscriber);
            wait.run();
        } else {
            whenParked = wait;
            Uni.createFrom().item(() -> locks.all(options, "a", "b").acquire()).subscribe().withSubscriber(subscriber);
        }
        return subscriber;
    }

    private boolean free(String name) {
        return elsewhere.lock(name).tryAcquire(Duration.ZERO).map(handle -> {
            handle.close();
            return true;
        }).orElse(false);
    }

    @Test
    void fault538_unrenewedLeaseIsFullAtTheStart() {
        for (Caller caller : Caller.values()) {
            for (Duration busy : List.of(Duration.ofSeconds(27), Duration.ofSeconds(9), Duration.ofMinutes(5))) {
                LockHandle both = both(caller, ONCE, busy).getItem();
                assertThat(both.validFor()).isGreaterThan(NEARLY_ALL);
                renewals = 0;
                time.advance(NEARLY_ALL);
                assertThat(both.isValid()).isTrue();
                time.advance(Duration.ofSeconds(3));
                assertThat(both.isValid()).isFalse();
                time.advance(SECOND);
                assertThat(free("a") && free("b")).as("it has expired").isTrue();
                assertThat(renewals).isZero();
                both.close();
            }
        }
    }

    @Test
    void fault538_maxHoldStartsWithTheLastGrant() {
        for (Caller caller : Caller.values()) {
            losses.clear();
            LockHandle both = both(caller, SHORT, Duration.ofSeconds(50)).getItem();
            assertThat(losses).isEmpty();
            time.advance(LEASE.minus(SECOND));
            assertThat(both.isValid()).isTrue();
            assertThat(free("a") || free("b")).isFalse();
            time.advance(LEASE);
            assertThat(both.isValid()).isFalse();
            time.advance(Duration.ofSeconds(4));
            assertThat(free("a") && free("b")).as("it is no longer renewed").isTrue();
            both.close();
        }
    }

    @Test
    void fault538_holdAtLeastStartsWithTheLastGrant() {
        for (Caller caller : Caller.values()) {
            for (LockOptions options : List.of(KEPT, KEPT.withRenew(false))) {
                for (Duration busy : List.of(Duration.ofSeconds(59), Duration.ofSeconds(51), SECOND)) {
                    LockHandle both = both(caller, options, busy).getItem();
                    if (busy.toSeconds() != 59) { // after 59 s, too little of the lease was left: the caller has waited
                        time.advance(Duration.ZERO);
                    }
                    assertThat(elsewhere.inspect("a").orElseThrow().holders().get(0).remaining()).as("if this JVM dies now")
                            .isGreaterThanOrEqualTo(Duration.ofMinutes(1));
                    both.close();
                    time.advance(Duration.ofSeconds(59));
                    assertThat(free("a") || free("b")).isFalse();
                    time.advance(SECOND);
                    assertThat(free("a") && free("b")).isTrue();
                }
            }
        }
    }

    @Test
    void fault538_maxHoldEndsTheHoldDespiteHoldAtLeast() {
        for (Caller caller : Caller.values()) {
            LockHandle both = both(caller, KEPT.withHoldAtLeast(Duration.ofHours(1)).withMaxHold(LEASE), Duration.ofMinutes(2))
                    .getItem();
            assertThat(both.validFor()).isBetween(LEASE, LEASE.multipliedBy(2));
            time.advance(LEASE.multipliedBy(2));
            assertThat(both.isValid()).isFalse();
            both.close();
            assertThat(free("a") || free("b")).isFalse();
            time.advance(Duration.ofHours(1));
            assertThat(free("a") && free("b")).isTrue();
        }
    }

    @Test
    void fault538_joinedNameKeepsItsOwnLimits() throws Exception {
        careless.lock("a", SHORT)
                .call(() -> onlyBOutlastsTheFirst(both(Caller.WAITING_THREAD, SHORT, SECOND.multipliedBy(20))));
        careless.lock("a", SHORT).callAsync(() -> Uni.createFrom().context(inside -> {
            LockHandle busy = elsewhere.lock("b").acquire();
            var joined = UniAssertSubscriber.<LockHandle> create(inside);
            locks.all(SHORT, "a", "b").acquireAsync().subscribe().withSubscriber(joined);
            time.advance(SECOND.multipliedBy(20));
            busy.close();
            return Uni.createFrom().item(onlyBOutlastsTheFirst(joined));
        })).await().indefinitely();
    }

    /** The first has been held for 20 s already. */
    private boolean onlyBOutlastsTheFirst(UniAssertSubscriber<LockHandle> both) {
        time.advance(LEASE.plusSeconds(9));
        assertThat(locks.held()).filteredOn(held -> !held.validFor().isZero()).extracting(HeldLock::name).containsExactly("b");
        both.getItem().close();
        return true;
    }

    /** Another caller has held the grant for nearly a third of its lease. */
    @Test
    void fault538_handedOverGrantIsConfirmedFirst() {
        Duration lease = SECOND.multipliedBy(3);
        LockHandle a = locks.lock("a", PATIENT.withLease(lease)).acquire();
        var both = UniAssertSubscriber.<LockHandle> create();
        locks.all(ONCE.withLease(lease), "a", "b").acquireAsync().subscribe().withSubscriber(both);
        time.advance(SECOND.minusMillis(1));
        a.close();
        assertThat(both.getItem().fencingToken("a")).as("handed on").isEqualTo(a.fencingToken() + 1);
        assertThat(both.getItem().validFor()).isGreaterThan(lease.minusMillis(600));
        both.getItem().close();
    }

    /** A reader that shared this grant would have to end with it, or keep it alive. */
    @Test
    void fault538_unrenewedReaderDoesNotShareItsGrant() {
        for (Caller caller : Caller.values()) {
            LockHandle[] other = new LockHandle[1];
            LockHandle both = both(caller, ONCE.withMode(LockMode.SHARED), () -> {
                other[0] = locks.lock("a", PATIENT.withMode(LockMode.SHARED)).acquire();
                time.advance(LEASE);
            }).getItem();
            time.advance(LEASE);
            assertThat(both.isValid()).isFalse();
            assertThat(other[0].isValid()).isTrue();
            other[0].close();
            both.close();
        }
    }

    @Test
    void fault538_nearlyExpiredLeaseIsConfirmedFirst() {
        for (Caller caller : Caller.values()) {
            LockHandle both = both(caller, PATIENT, () -> {
                silent = true;
                time.advance(Duration.ofSeconds(23));
                silent = false;
            }).getItem();
            assertThat(both.validFor()).isGreaterThan(NEARLY_ALL);
            both.close();
        }
    }

    /** The backend was asked to keep a lingering grant only briefly. */
    @Test
    void fault538_shortenedGrantIsConfirmedFirst() {
        for (Caller caller : Caller.values()) {
            for (String name : List.of("a", "b")) {
                lingering.lock(name).acquire().close();
            }
            long before = lingering.inspect("a").orElseThrow().holders().get(0).fencingToken();
            time.advance(Duration.ofMillis(100));
            var several = lingering.all(ONCE, "a", "b");
            LockHandle both = caller == Caller.PIPELINE ? several.acquireAsync().await().indefinitely() : several.acquire();
            assertThat(both.fencingToken("a")).as("kept").isEqualTo(before + 1);
            assertThat(both.validFor()).isGreaterThan(NEARLY_ALL);
            time.advance(NEARLY_ALL);
            assertThat(both.isValid()).isTrue();
            both.close();
        }
    }

    @Test
    void fault573_nameTakenInVainDoesNotLinger() {
        Duration wait = SECOND.dividedBy(2);
        elsewhere.lock("b").acquire();
        for (Caller caller : Caller.values()) {
            for (LockOptions options : List.of(PATIENT, PATIENT.withMode(LockMode.SHARED), ONCE, SHORT)) {
                var several = lingering.all(options.withWaitFor(wait), "a", "b");
                var failed = UniAssertSubscriber.<LockHandle> create();
                if (caller == Caller.PIPELINE) {
                    several.acquireAsync().subscribe().withSubscriber(failed);
                    time.advance(wait);
                } else {
                    whenParked = () -> time.advance(wait);
                    Uni.createFrom().item(() -> several.acquire()).subscribe().withSubscriber(failed);
                }
                failed.assertFailed();
                assertThat(elsewhere.inspect("a").map(LockInfo::holders).orElse(List.of())).as("%s", options).isEmpty();
            }
        }
    }

    @Test
    void fault585_usedNameStaysTakenAfterCancelledJoin() {
        cancelJoinAfterUse(locks.lock("a", KEPT));
        assertThat(free("a")).isFalse();
        time.advance(Duration.ofMinutes(1));
        assertThat(free("a")).isTrue();
    }

    @Test
    void fault585_usedNameLingersAfterCancelledJoin() {
        cancelJoinAfterUse(lingering.lock("a"));
        assertThat(elsewhere.inspect("a").map(LockInfo::holders).orElse(List.of())).isNotEmpty();
        time.advance(SECOND);
        assertThat(free("a")).isTrue();
    }

    /** A call inside wants a second name too, and is cancelled after the call around it has worked. */
    private void cancelJoinAfterUse(DistributedLock around) {
        elsewhere.lock("b").acquire();
        var inside = new Cancellable[1];
        around.callAsync(() -> Uni.createFrom().context(context -> {
            inside[0] = locks.all(PATIENT, "a", "b").acquireAsync().subscribe().with(context, both -> {
            }, failure -> {
            });
            return Uni.createFrom().item("done");
        })).await().indefinitely();
        inside[0].cancel();
    }

    @Test
    void fault572_changedHoldAtLeastStartsWithTheLastGrant() {
        Duration atLeast = Duration.ofMinutes(1);
        for (Caller caller : Caller.values()) {
            for (LockOptions options : List.of(PATIENT, ONCE, SHORT, KEPT)) {
                LockHandle both = both(caller, options, Duration.ofMinutes(2)).getItem();
                time.advance(SECOND);
                changeHoldAtLeast(caller, both, atLeast);
                assertThat(elsewhere.inspect("a").orElseThrow().holders().get(0).remaining()).as("if this JVM dies now")
                        .isGreaterThanOrEqualTo(atLeast.minus(SECOND));
                both.close();
                time.advance(atLeast.minusSeconds(2));
                assertThat(free("a") || free("b")).as("%s", options).isFalse();
                time.advance(SECOND);
                assertThat(free("a") && free("b")).as("%s", options).isTrue();
            }
        }
    }

    @Test
    void fault572_changedHoldAtLeastMayBeZero() {
        for (Caller caller : Caller.values()) {
            LockHandle both = both(caller, PATIENT, Duration.ofMinutes(2)).getItem();
            changeHoldAtLeast(caller, both, Duration.ofMinutes(1));
            changeHoldAtLeast(caller, both, Duration.ZERO);
            both.downgrade();
            both.close();
            assertThat(free("a") && free("b")).isTrue();
        }
    }

    /** The caller already had the first name when it asked for both. */
    @Test
    void fault572_changedHoldAtLeastOfJoinedNameStartsWithTheLastGrant() throws Exception {
        locks.lock("a").call(() -> {
            time.advance(LEASE);
            LockHandle both = both(Caller.WAITING_THREAD, PATIENT, Duration.ofMinutes(2)).getItem();
            both.changeHoldAtLeast(Duration.ofMinutes(1));
            both.close();
            return null;
        });
        time.advance(Duration.ofSeconds(59));
        assertThat(free("a") || free("b")).isFalse();
        time.advance(SECOND);
        assertThat(free("a") && free("b")).isTrue();
    }

    private static void changeHoldAtLeast(Caller caller, LockHandle both, Duration atLeast) {
        if (caller == Caller.PIPELINE) {
            both.changeHoldAtLeastAsync(atLeast).await().indefinitely();
        } else {
            both.changeHoldAtLeast(atLeast);
        }
    }

    /** The margin takes half of the lease, so the other half must be available in full. */
    @Test
    void fault538_leaseWithWideMarginIsFullAtTheStart() {
        try (LockEngine three = LockEngine.builder(watched(new LocalBackend(store, "three"))).time(time).margin(LEASE)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            for (LockOptions options : List.of(ONCE, PATIENT)) {
                silent = options == PATIENT;
                LockHandle busy = elsewhere.lock("b").acquire();
                var both = UniAssertSubscriber.<LockHandle> create();
                three.manager(ManagerDefaults.STANDARD).all(options, "a", "b").acquireAsync().subscribe().withSubscriber(both);
                time.advance(Duration.ofSeconds(silent ? 12 : 9));
                silent = false;
                busy.close();
                assertThat(both.getItem().validFor()).isGreaterThan(LEASE.dividedBy(2).minusSeconds(3));
                both.getItem().close();
            }
        }
    }

    @Test
    void fault538_unconfirmedLeaseFailsTheAcquisition() {
        for (Caller caller : Caller.values()) {
            for (LockOptions options : List.of(PATIENT, ONCE, SHORT)) {
                both(caller, options.withWaitFor(Duration.ofSeconds(25)), () -> {
                    silent = true;
                    time.advance(Duration.ofSeconds(25).minusNanos(1));
                    time.pause(Duration.ofNanos(1));
                }).assertFailedWith(LockBackendException.class, "a, b");
                assertThat(locks.held()).isEmpty();
                silent = false;
            }
        }
    }

    @Test
    void fault538_inconclusiveConfirmationIsRetriedOnce() {
        for (Caller caller : Caller.values()) {
            LockHandle both = both(caller, ONCE, () -> {
                silent = true;
                time.advance(Duration.ofSeconds(12));
            }).getItem();
            silent = false;
            renewals = 0;
            time.advance(Duration.ofSeconds(5));
            assertThat(renewals).isOne();
            both.close();
        }
    }

    @Test
    void fault538_failedConfirmationIsRetriedOnce() {
        for (Caller caller : Caller.values()) {
            LockHandle both = both(caller, ONCE, () -> {
                time.advance(Duration.ofSeconds(9));
                failing = true;
            }).getItem();
            failing = false;
            renewals = 0;
            time.advance(Duration.ofSeconds(5));
            assertThat(renewals).isOne();
            both.close();
        }
    }

    @Test
    void fault538_grantsWithoutAWaitAreNotConfirmed() {
        for (LockOptions options : List.of(ONCE, SHORT, KEPT, PATIENT)) {
            locks.all(options, "a", "b").acquire().close();
            locks.all(options, "c", "d").acquireAsync().await().indefinitely().close();
            time.advance(Duration.ofMinutes(2));
        }
        try (LockHandle both = both(Caller.PIPELINE, KEPT, Duration.ofMillis(50)).getItem()) {
            time.advance(Duration.ZERO);
            assertThat(both.isValid()).isTrue();
        }
        assertThat(renewals).isZero();
        try (LockHandle both = locks.all(ONCE, "c", "d").acquire()) {
            time.advance(LEASE);
            assertThat(both.isValid()).isFalse();
        }
        assertThat(renewals).isZero();
    }
}
