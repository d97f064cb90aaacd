package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.TestTime;
import io.smallrye.mutiny.Uni;

/** A JVM keeps a grant for a while after its last holder has released it, at nobody else's expense. */
public abstract class LingerContract extends ContractTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    /** Long enough for everything that a test does meanwhile, on a slow machine. */
    private static final Duration LONG = Duration.ofSeconds(12);
    private static final Duration SHORT = Duration.ofMillis(500);
    /** How long a grant is kept at most, however often it is reused, if the store notifies of waiters. */
    private static final Duration SLICE = Duration.ofSeconds(1);
    /** A lease of ten seconds, or the store's shortest, on a slow machine. */
    private static final Duration LATEST_DEATH = Duration.ofSeconds(25);
    private static final LockOptions READ = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    // --- reuse

    @Test
    void nextHoldSendsNoStoreRequest() {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, LONG, LEASE);
        warmUp(a, store);
        long first = used(a);
        int asked = store.requests();
        for (int i = 1; i <= 50; i++) {
            assertThat(used(a)).isEqualTo(first + i);
        }
        assertThat(a.locks().lock(name()).tryAcquire(Duration.ZERO)).hasValueSatisfying(LockHandle::close);
        assertThat(store.requests()).isEqualTo(asked);
        assertThat(a.locks().held()).isEmpty();
        assertThat(a.count(Kind.GRANTED)).isEqualTo(53);
        assertThat(a.count(Kind.RELEASED)).isEqualTo(53);
    }

    @Test
    void lingerServesPipelinesNestedCallsAndThreads() throws Exception {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, LONG, LEASE);
        warmUp(a, store);
        long first = used(a);
        assertThat(a.locks().lock(name()).callAsync(() -> Uni.createFrom().item(1)).await().atMost(SOON)).isEqualTo(1);
        long inner = a.locks().lock(name()).call(() -> {
            try (LockHandle nested = a.locks().lock(name()).acquire()) {
                return nested.fencingToken();
            }
        });
        assertThat(inner).isEqualTo(first + 2);
        assertThat(get(start(() -> used(a)))).isEqualTo(first + 3);
    }

    @Test
    void unusedGrantIsReleasedAfterLinger() {
        Jvm a = lingering(faulty(), SHORT, LEASE);
        Jvm b = jvm();
        long first = used(a);
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(next.fencingToken()).isGreaterThan(first);
        }
        assertThat(used(a)).isGreaterThan(first);
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    void tokensRiseAcrossJvms() {
        Jvm a = lingering(faulty(), SHORT, LEASE);
        Jvm b = lingering(faulty(), SHORT, LEASE);
        long last = 0;
        for (int i = 0; i < 40; i++) {
            long token = used(i / 4 % 2 == 0 ? a : b);
            assertThat(token).isGreaterThan(last);
            last = token;
        }
    }

    @Test
    @Needs(Ability.OPERATORS)
    void lingeringGrantIsShownAsIdle() {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, LONG, LEASE);
        warmUp(a, store);
        used(a);
        assertThat(a.locks().inspect(name()).orElseThrow().holders()).singleElement()
                .satisfies(it -> assertThat(it.owner()).startsWith("idle, kept by "));
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(a.locks().inspect(name()).orElseThrow().holders()).singleElement()
                    .satisfies(it -> assertThat(it.owner()).doesNotContain("idle"));
        }
    }

    // --- other callers

    @Test
    @Fault(214)
    void fault214_remoteWaiterEndsLinger() {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, LONG, LEASE);
        Jvm b = jvm();
        used(b); // connects first, so that a slow first connection is not measured
        long first = used(a);
        boolean told = tells(store);
        first = Math.max(first, used(a));
        long before = System.nanoTime();
        try (LockHandle next = b.lock(name()).tryAcquire(LONG.plus(SOON)).orElseThrow()) {
            assertThat(next.fencingToken()).isGreaterThan(first);
            // The grant is rechecked after a quarter of its linger time anyway
            assertThat(since(before)).isLessThan(told ? LONG.dividedBy(6) : LONG.plus(SOON));
            assertThat(a.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Fault(214)
    @Needs(Ability.NEWS)
    void fault214_constantUseDoesNotStarveRemoteWaiters() throws Exception {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, SHORT, LEASE);
        Jvm b = jvm();
        var over = new AtomicBoolean();
        used(a);
        var uses = new AtomicLong();
        var using = start(() -> {
            while (!over.get()) {
                used(a);
                uses.incrementAndGet();
            }
            return true;
        });
        Await.until("it is in use", SOON, () -> uses.get() > 0);
        for (int i = 0; i < 3; i++) {
            b.lock(name()).tryAcquire(SOON).orElseThrow().close();
        }
        over.set(true);
        assertThat(get(using)).isTrue();
    }

    @Test
    @Fault(209)
    @Needs(Ability.NEWS)
    void fault209_lostWaiterNewsDelaysHandOffOnlyBriefly() throws Exception {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, SHORT, LEASE);
        Jvm b = jvm();
        store.loseNewsOfWaiters();
        used(a);
        long before = System.nanoTime();
        var over = new AtomicBoolean();
        var using = start(() -> {
            while (!over.get()) {
                used(a);
            }
            return true;
        });
        b.lock(name()).tryAcquire(SOON).orElseThrow().close();
        assertThat(since(before)).isLessThan(SLICE.plus(SHORT).plusSeconds(8));
        over.set(true);
        get(using);
    }

    @Test
    @Fault(216)
    @Needs(features = Feature.SHARED)
    void fault216_otherModeIsGrantedInSameJvm() {
        Jvm a = lingering(faulty(), LONG, LEASE);
        used(a);
        for (int i = 0; i < 5; i++) {
            assertThat(a.locks().lock(name(), READ).tryAcquire(Duration.ZERO)).as("a reader")
                    .hasValueSatisfying(LockHandle::close);
            assertThat(a.locks().lock(name()).tryAcquire(Duration.ZERO)).as("a writer").hasValueSatisfying(LockHandle::close);
        }
    }

    @Test
    @Needs(features = Feature.SHARED)
    void lingeringSharedGrantServesReaders() {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, LONG, LEASE);
        Jvm b = jvm();
        warmUp(a, store);
        long first;
        try (LockHandle reader = a.locks().lock(name(), READ).acquire()) {
            first = reader.fencingToken();
            a.locks().inspect(name()); // the answer also says that no writer waits
        }
        int asked = store.requests();
        try (LockHandle reader = a.locks().lock(name(), READ).acquire()) {
            assertThat(reader.fencingToken()).isEqualTo(first);
            assertThat(store.requests()).isEqualTo(asked);
            LockHandle another = a.locks().lock(name(), READ).tryAcquire(Duration.ZERO).orElseThrow();
            assertThat(b.shared(name()).tryAcquire(Duration.ZERO)).hasValueSatisfying(LockHandle::close);
            assertHeld(reader);
            assertHeld(another);
            another.close();
        }
        try (LockHandle writer = b.lock(name()).tryAcquire(LONG.plus(SOON)).orElseThrow()) {
            assertThat(writer.fencingToken()).isGreaterThan(first);
            assertThat(a.locks().lock(name(), READ).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Needs(features = Feature.HOLD_AT_LEAST)
    void lingerSkipsHoldAtLeastGrants() {
        Jvm a = lingering(faulty(), LONG, LEASE);
        Jvm b = jvm();
        long before = System.nanoTime();
        a.locks().lock(name(), LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofMillis(300))).acquire().close();
        b.lock(name()).tryAcquire(SOON).orElseThrow().close();
        assertThat(since(before)).isLessThan(LONG.dividedBy(2));
    }

    // --- faults

    @Test
    @Fault(207)
    @Needs(Ability.CUT)
    void fault207_deadIdleJvmFreesNameWithinItsLease() {
        Duration lease = Duration.ofSeconds(10);
        var linked = environment().linked("dying");
        Jvm a = lingering(linked.backend(), Duration.ofSeconds(2), lease);
        Jvm b = jvm();
        used(a);
        linked.link().cut();
        long before = System.nanoTime();
        b.lock(name()).tryAcquire(LATEST_DEATH).orElseThrow().close();
        assertThat(since(before)).isLessThan(LATEST_DEATH);
        linked.link().heal();
    }

    @Test
    @Fault(208)
    @Needs(value = { Ability.CUT, Ability.OPERATORS }, features = Feature.LEASE)
    void fault208_deadIdleJvmFreesNameWithinShorterLease() {
        Duration lease = Duration.ofMinutes(5);
        var linked = environment().linked("dying");
        Jvm a = lingering(linked.backend(), Duration.ofSeconds(4), lease);
        Jvm b = jvm();
        used(a);
        Await.until("the store keeps it for less", SOON, () -> {
            Duration left = remaining(b);
            if (left.isZero()) {
                used(a); // the client gives back a grant that it kept while it connected or subscribed
            }
            return !left.isZero() && left.compareTo(Duration.ofSeconds(6)) < 0;
        });
        linked.link().cut();
        long before = System.nanoTime();
        b.lock(name()).tryAcquire(SOON).orElseThrow().close();
        assertThat(since(before)).isLessThan(Duration.ofSeconds(12));
        linked.link().heal();
    }

    @Test
    @Fault(208)
    @Needs(value = Ability.OPERATORS, features = Feature.LEASE)
    void fault208_reusedIdleGrantRegainsTheFullLease() {
        Duration linger = Duration.ofSeconds(8);
        FaultyBackend store = faulty();
        Jvm a = lingering(store, linger, LEASE);
        Jvm b = jvm();
        warmUp(a, store);
        long first = used(a);
        int answered = store.answeredRenewals(name());
        Await.until("the store keeps it for less", SOON,
                () -> remaining(b).compareTo(Duration.ofSeconds(10)) < 0 && !remaining(b).isZero());
        Await.until("that is answered", SOON, () -> store.answeredRenewals(name()) > answered);
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(hold.fencingToken()).isEqualTo(first + 1);
            Await.until("it is kept for longer", SOON, () -> remaining(b).compareTo(Duration.ofSeconds(20)) > 0);
            Await.until("that is known", SOON, () -> hold.validFor().compareTo(Duration.ofSeconds(20)) > 0);
        }
        assertThat(b.locks().forceRelease(name())).isTrue();
        Await.until("it is gone", SOON, () -> used(a) > first + 1023);
    }

    @Test
    @Fault(213)
    @Needs(value = Ability.OPERATORS, features = Feature.LEASE)
    void fault213_unconfirmedIdleGrantIsNotReused() {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, LONG, LEASE);
        Jvm b = jvm();
        long first = used(a);
        store.failRenewals(1);
        Await.until("it is given back", LONG.dividedBy(2), () -> b.locks().inspect(name()).isEmpty());
        assertThat(used(a)).isGreaterThan(first + 1);
        assertThat(a.count(Kind.SUSPECT)).isZero();
    }

    @Test
    @Fault(210)
    @Needs(value = { Ability.STORE_LEASES }, features = Feature.LEASE)
    void fault210_pausedJvmDoesNotReuseExpiredGrant() {
        FaultyBackend store = faulty();
        var time = new TestTime();
        Jvm a = closeLater(new Jvm(store, builder -> builder.time(time), environment()::manager,
                defaults(Duration.ofMillis(400), SHORT_LEASE)));
        connected(a, store);
        Jvm b = jvm();
        time.timers = false;
        store.loseNewsOfWaiters();
        long first = used(a);
        try (LockHandle next = b.lock(name()).tryAcquire(SOON).orElseThrow()) {
            assertThat(next.fencingToken()).isGreaterThan(first);
            assertThat(a.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
            time.timers = true;
            assertHeld(next);
        }
    }

    @Test
    @Fault(210)
    void fault210_grantIsNotReusedAfterSuspension() {
        FaultyBackend store = faulty();
        var time = new TestTime();
        Jvm a = closeLater(new Jvm(store, builder -> builder.time(time), environment()::manager, defaults(LONG, LEASE)));
        connected(a, store);
        long first = used(a);
        time.shiftWallClock(Duration.ofMinutes(1));
        assertThat(used(a)).as("token of another grant").isGreaterThanOrEqualTo(first + 2);
    }

    @Test
    @Fault(211)
    void fault211_grantIsNotReusedAfterReconnect() {
        FaultyBackend store = faulty();
        Jvm a = lingering(store, LONG, LEASE);
        long first = used(a);
        store.heal(); // reports a new connection, or another master
        assertThat(used(a)).as("token of another grant").isGreaterThan(first + 1);
        assertThat(a.count(Kind.LOST)).isZero();
    }

    @Test
    @Fault(212)
    @Needs(Ability.OPERATORS)
    void fault212_forcedReleaseEndsIdleGrant() {
        Jvm a = lingering(faulty(), LONG, LEASE);
        var first = new AtomicLong();
        // The client gives back a grant that it kept while it subscribed
        Await.until("what is kept is ended", SOON, () -> {
            first.set(used(a));
            return a.locks().forceRelease(name());
        });
        Await.until("it is not taken again", SOON, () -> used(a) > first.get() + 1000 || a.locks().inspect(name()).isEmpty());
        assertThat(a.count(Kind.LOST)).isZero();
    }

    @Test
    @Fault(212)
    @Needs(features = Feature.REQUEST_RELEASE)
    void fault212_requestedReleaseEndsIdleGrant() {
        Jvm a = lingering(faulty(), LONG, LEASE);
        Jvm b = jvm();
        used(a);
        b.locks().requestRelease(name());
        assertThat(b.lock(name()).tryAcquire(LONG.dividedBy(2))).hasValueSatisfying(LockHandle::close);
        assertThat(a.count(Kind.RELEASE_REQUESTED)).as("there is no holder to ask").isZero();
    }

    @Test
    @Fault(215)
    void fault215_shutdownReleasesIdleGrant() {
        Jvm a = lingering(faulty(), LONG, LEASE);
        Jvm b = jvm();
        used(a);
        long before = System.nanoTime();
        a.close();
        b.lock(name()).tryAcquire(LONG).orElseThrow().close();
        assertThat(since(before)).isLessThan(LONG.dividedBy(2));
    }

    // --- helpers

    private Jvm lingering(LockBackend backend, Duration linger, Duration lease) {
        Jvm jvm = closeLater(new Jvm(backend, builder -> {
        }, environment()::manager, defaults(linger, lease)));
        return backend instanceof FaultyBackend faulty ? connected(jvm, faulty) : jvm;
    }

    private static ManagerDefaults defaults(Duration linger, Duration lease) {
        return new ManagerDefaults("lingering", Duration.ofSeconds(20), lease, true, null, OnLost.FAIL, linger);
    }

    private long used(Jvm jvm) {
        try (LockHandle hold = jvm.lock(name()).acquire()) {
            assertHeld(hold);
            return hold.fencingToken();
        }
    }

    /** Runs first, because a JVM that has just subscribed is notified that somebody may already be waiting. */
    private void warmUp(Jvm jvm, FaultyBackend store) {
        jvm.lock(name() + "-first").acquire().close();
        tells(store);
    }

    /** Whether the store notifies of waiters; some stores start to do so only on first use. */
    private static boolean tells(LockBackend store) {
        long before = System.nanoTime();
        while (!store.tellsOfWaiters() && since(before).compareTo(Duration.ofSeconds(3)) < 0) {
            Thread.onSpinWait();
        }
        return store.tellsOfWaiters();
    }

    private Duration remaining(Jvm at) {
        return at.locks().inspect(name()).map(LockInfo::holders).filter(it -> !it.isEmpty())
                .map(it -> it.get(0).remaining()).orElse(Duration.ZERO);
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
