package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A grant that is kept after its hold has ended, in virtual time. */
class LingerTest {

    private static final Duration LINGER = Duration.ofMillis(200);
    private static final Duration LEASE = Duration.ofSeconds(30);
    /** A tenth of the lease, at most two seconds. */
    private static final Duration MARGIN = Duration.ofSeconds(2);
    private static final ManagerDefaults LINGERING = new ManagerDefaults("lingering", Duration.ofSeconds(10), LEASE, true, null,
            OnLost.FAIL, LINGER);
    private static final LockOptions READ = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine one = engine();
    private final LockEngine two = engine();
    private final LockManager locks = one.manager(LINGERING);
    private final LockManager plain = one.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = two.manager(ManagerDefaults.STANDARD);

    private LockEngine engine() {
        return LockEngine.builder(new LocalBackend(store, "test")).time(time).threads(CallerThreads.plain(Runnable::run))
                .start();
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    /** A separate asynchronous store that never answers one kind of request while it is silent. */
    private LockBackend notAnswering(String what, AtomicBoolean silent) {
        var backend = new LocalBackend(new LocalStore(time), "silent");
        return (LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, arguments) -> method.getName().equals(what) && silent.get() ? Uni.createFrom().nothing()
                        : method.invoke(backend, arguments));
    }

    /** A backend with the answers of one method changed. */
    private static InvocationHandler answering(LockBackend backend, String what, BiFunction<Object[], Uni<?>, Uni<?>> changed) {
        return (proxy, method, arguments) -> {
            Object answer = method.invoke(backend, arguments);
            return method.getName().equals(what) ? changed.apply(arguments, (Uni<?>) answer) : answer;
        };
    }

    private long used() {
        try (LockHandle hold = locks.lock("a").acquire()) {
            assertThat(hold.isValid()).isTrue();
            return hold.fencingToken();
        }
    }

    private UniAssertSubscriber<LockHandle> asking(LockManager manager, LockOptions options) {
        return manager.lock("a", options).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private boolean free() {
        return elsewhere.inspect("a").isEmpty();
    }

    @Test
    void nextHoldReusesGrantWithNextToken() {
        long first = used();
        time.advance(Duration.ofMillis(30));
        assertThat(used()).isEqualTo(first + 1);
        assertThat(used()).isEqualTo(first + 2);
        assertThat(free()).isFalse();
        assertThat(locks.held()).isEmpty();
        assertThat(one.census().take()).isEmpty();
    }

    @Test
    void unusedGrantIsReleasedAfterLinger() {
        long first = used();
        time.advance(LINGER.minusMillis(1));
        assertThat(free()).isFalse();
        time.advance(Duration.ofMillis(1));
        assertThat(free()).isTrue();
        assertThat(used()).isGreaterThanOrEqualTo(first + 1024);
        time.advance(Duration.ofMinutes(1));
        assertThat(time.timers()).isZero();
    }

    @Test
    void idleGrantIsListedAsIdle() {
        used();
        assertThat(locks.inspect("a").orElseThrow().holders()).singleElement()
                .satisfies(it -> assertThat(it.owner()).isEqualTo("idle, kept by test"));
        assertThat(locks.list(io.quarkiverse.lock.LockQuery.ALL).locks()).singleElement()
                .satisfies(it -> assertThat(it.holders().get(0).owner()).isEqualTo("idle, kept by test"));
        try (LockHandle hold = locks.lock("a").acquire()) {
            assertThat(locks.inspect("a").orElseThrow().holders().get(0).owner()).isEqualTo("test");
        }
    }

    /** Its release must report a missing grant, and a store that has lost it may restore it. */
    @Test
    void fault302_reusedGrantHasFullLeaseOnceConfirmed() {
        var granted = new AtomicReference<Grant>();
        try (LockEngine three = LockEngine.builder(recording(granted)).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            var longer = new ManagerDefaults("lingering", Duration.ofSeconds(10), LEASE, true, null, OnLost.FAIL,
                    Duration.ofSeconds(5));
            three.manager(longer).lock("a").acquire().close();
            time.advance(Duration.ofSeconds(2)); // shortened by now
            Grant grant = granted.get();
            assertThat(grant.leaseNanos()).isLessThan(LEASE.toNanos());
            LockHandle hold = three.manager(longer).lock("a").acquire();
            time.advance(Duration.ofMillis(1));
            assertThat(granted.get()).as("the same").isSameAs(grant);
            assertThat(grant.keptAt(time.nanoTime() + Duration.ofSeconds(20).toNanos())).isTrue();
            time.advance(Duration.ofSeconds(9));
            assertThat(grant.keptAt(time.nanoTime())).isTrue();
            hold.close();
            time.advance(Duration.ofSeconds(2));
            assertThat(grant.keptAt(time.nanoTime() + Duration.ofSeconds(20).toNanos())).as("shortened again").isFalse();
        }
    }

    private LockBackend recording(AtomicReference<Grant> granted) {
        var backend = new LocalBackend(store, "recording");
        return (LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, arguments) -> method.getName().equals("acquire")
                        ? backend.acquire((Claim) arguments[0]).invoke(answer -> granted.set((Grant) answer))
                        : method.invoke(backend, arguments));
    }

    @Test
    void fault214_remoteClaimGetsIdleLockAtOnce() {
        long first = used();
        UniAssertSubscriber<LockHandle> other = asking(elsewhere, LockOptions.DEFAULTS);
        time.advance(Duration.ZERO);
        LockHandle theirs = other.getItem();
        assertThat(theirs.fencingToken()).isGreaterThan(first);
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        theirs.close();
        assertThat(used()).isGreaterThan(theirs.fencingToken());
    }

    @Test
    void grantDoesNotLingerWhileAnotherJvmWaits() {
        LockHandle hold = locks.lock("a").acquire();
        UniAssertSubscriber<LockHandle> other = asking(elsewhere, LockOptions.DEFAULTS);
        hold.close();
        other.assertCompleted().getItem().close();
    }

    @Test
    void fault216_differentOptionsGetTheirOwnGrant() {
        long first = used();
        try (LockHandle reader = locks.lock("a", READ).tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(reader.fencingToken()).isGreaterThanOrEqualTo(first + 1024);
        }
        try (LockHandle writer = locks.lock("a").tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(writer.isValid()).isTrue();
        }
        try (LockHandle one = locks.lock("a", LockOptions.DEFAULTS.withLimit(2)).tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(one.isValid()).isTrue();
        }
        try (LockHandle longer = locks.lock("a", LockOptions.DEFAULTS.withLease(Duration.ofMinutes(1)))
                .tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(longer.validFor()).isGreaterThan(LEASE);
        }
    }

    @Test
    void readersReuseIdleReaderGrant() {
        long first;
        try (LockHandle reader = locks.lock("a", READ).acquire()) {
            first = reader.fencingToken();
        }
        try (LockHandle there = elsewhere.lock("a", READ).tryAcquire(Duration.ZERO).orElseThrow();
                LockHandle reader = locks.lock("a", READ).tryAcquire(Duration.ZERO).orElseThrow();
                LockHandle another = locks.lock("a", READ).acquire()) {
            assertThat(reader.fencingToken()).isEqualTo(first);
            assertThat(another.fencingToken()).isEqualTo(first);
            assertThat(there.isValid()).isTrue();
        }
        UniAssertSubscriber<LockHandle> writer = asking(elsewhere, LockOptions.DEFAULTS);
        time.advance(Duration.ZERO);
        assertThat(writer.getItem().fencingToken()).isGreaterThan(first);
    }

    @Test
    void holdWithoutLingerReleasesTheGrant() {
        used();
        plain.lock("a").acquire().close();
        assertThat(free()).isTrue();
    }

    @Test
    void holdAtLeastEndsWithoutLinger() {
        locks.lock("a", LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofMillis(50))).acquire().close();
        time.advance(Duration.ofMillis(50));
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void grantIsReleasedWhenItsTokensRunOut() {
        long first = used();
        for (int i = 1; i < 1023; i++) {
            assertThat(used()).isEqualTo(first + i);
        }
        assertThat(used()).isEqualTo(first + 1023);
        assertThat(free()).isTrue();
        assertThat(used()).isGreaterThanOrEqualTo(first + 1024);
    }

    @Test
    void fault209_constantReuseStillReturnsToTheStore() {
        long first = used();
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofMillis(60));
            try (LockHandle hold = locks.lock("a").acquire()) {
                assertThat(hold.fencingToken()).isGreaterThan(first);
                time.advance(Duration.ZERO); // extended for this holder, so that the end of its lease is always far away
            }
        }
        assertThat(used()).isGreaterThanOrEqualTo(first + 1024);
    }

    /** The store reported waiters when it granted the lock, but no longer does. */
    @Test
    void fault209_lingerIsNotProlongedWithoutWaiterReports() {
        var told = new AtomicBoolean(true);
        var backend = new LocalBackend(store, "deaf");
        try (LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(),
                new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> method.getName().equals("tellsOfWaiters")
                        ? told.get()
                        : method.invoke(backend, arguments)))
                .time(time).threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager manager = engine.manager(LINGERING);
            manager.lock("a").acquire().close();
            told.set(false);
            for (int i = 0; i < 3; i++) {
                time.advance(LINGER.dividedBy(4));
                manager.lock("a").acquire().close();
                time.advance(Duration.ZERO);
            }
            assertThat(free()).isFalse();
            time.advance(LINGER.dividedBy(4));
            assertThat(free()).isTrue();
        }
    }

    @Test
    void fault208_idleLeaseIsShortenedThenExtendedOnReuse() {
        long first = used();
        time.advance(LINGER.dividedBy(4));
        Duration left = elsewhere.inspect("a").orElseThrow().holders().get(0).remaining();
        assertThat(left).isEqualTo(LINGER.multipliedBy(3).dividedBy(4).plus(MARGIN));
        try (LockHandle hold = locks.lock("a").acquire()) {
            assertThat(hold.fencingToken()).isEqualTo(first + 1);
            time.advance(Duration.ZERO);
            assertThat(hold.validFor()).isEqualTo(LEASE.minus(MARGIN));
            for (int i = 0; i < 10; i++) {
                time.advance(LEASE.dividedBy(3));
                assertThat(hold.isValid()).isTrue();
            }
        }
    }

    @Test
    void fault208_shortenedLeaseLimitsValidity() {
        var silent = new AtomicBoolean();
        LockEngine engine = LockEngine.builder(notAnswering("renew", silent)).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start();
        LockManager manager = engine.manager(LINGERING);
        manager.lock("b").acquire().close();
        time.advance(LINGER.dividedBy(4));
        silent.set(true);
        try (LockHandle hold = manager.lock("b").acquire()) {
            assertThat(hold.validFor()).isLessThan(LINGER.plus(MARGIN));
        }
        engine.close();
    }

    @Test
    void fault349_reusedGrantsAreExtendedInOneRenewal() {
        var renewals = new AtomicInteger();
        var backend = new LocalBackend(new LocalStore(time), "counted");
        LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(),
                new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("renew")) {
                        renewals.incrementAndGet();
                    }
                    return method.invoke(backend, arguments);
                })).time(time).threads(CallerThreads.plain(Runnable::run)).start();
        LockManager manager = engine.manager(LINGERING);
        List<String> names = IntStream.range(0, 100).mapToObj(i -> "n" + i).toList();
        names.forEach(name -> manager.lock(name).acquire().close());
        time.advance(LINGER.dividedBy(4)); // all are shortened by now
        List<LockHandle> holds = names.stream().map(name -> manager.lock(name).acquire()).toList();
        assertThat(holds).allMatch(hold -> hold.validFor().compareTo(LINGER.plus(MARGIN)) < 0);
        time.advance(Duration.ZERO);
        assertThat(holds).allMatch(hold -> hold.validFor().equals(LEASE.minus(MARGIN)));
        assertThat(renewals).hasValue(1);
        engine.close();
    }

    @Test
    void grantBeingExtendedLingersAgain() {
        long first = used();
        for (int i = 1; i <= 4; i++) {
            time.advance(LINGER.dividedBy(2));
            assertThat(used()).isEqualTo(first + i);
        }
    }

    @Test
    void fault210_suspensionDuringExtensionUsesConfirmedLease() {
        var silent = new AtomicBoolean();
        LockEngine engine = LockEngine.builder(notAnswering("renew", silent)).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start();
        LockManager manager = engine.manager(LINGERING);
        manager.lock("b").acquire().close();
        time.advance(LINGER.dividedBy(2));
        silent.set(true);
        LockHandle hold = manager.lock("b").acquire();
        assertThat(hold.isValid()).isTrue();
        time.shiftWallClock(Duration.ofMillis(500)); // less than the margin of the whole lease
        assertThat(hold.isValid()).isFalse();
        hold.close();
        engine.close();
    }

    @Test
    void fault208_deadIdleJvmDelaysOthersByLingerAndMargin() {
        used();
        time.advance(LINGER.dividedBy(4));
        time.pause(LINGER.multipliedBy(3).dividedBy(4).plus(MARGIN)); // as if it were dead
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent();
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
    }

    @Test
    void fault210_expiredIdleGrantIsNotReusedAfterPause() {
        used();
        time.pause(LEASE);
        LockHandle theirs = elsewhere.lock("a").tryAcquire(Duration.ZERO).orElseThrow();
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        time.advance(Duration.ZERO);
        assertThat(theirs.isValid()).isTrue();
    }

    @Test
    void fault210_clockGapEndsIdleGrant() {
        long first = used();
        time.shiftWallClock(Duration.ofSeconds(10));
        assertThat(used()).isGreaterThanOrEqualTo(first + 1024);
    }

    @Test
    void fault352_suspendedHoldDoesNotLinger() {
        LockHandle hold = locks.lock("a").acquire();
        time.shiftWallClock(Duration.ofSeconds(10));
        hold.close();
        assertThat(free()).isTrue();
    }

    @Test
    void fault352_suspendedReaderDoesNotLinger() {
        LockHandle hold = locks.lock("a", READ).acquire();
        time.shiftWallClock(Duration.ofSeconds(10));
        hold.close();
        assertThat(free()).isTrue();
    }

    /** Another holder had the lock in the meantime, and has released it. */
    @Test
    void fault352_lossDuringSuspensionIsReported() {
        var gone = new AtomicBoolean();
        LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(),
                new Class<?>[] { LockBackend.class }, answering(new LocalBackend(store, "suspended"), "release",
                        (asked, release) -> gone.get()
                                ? Uni.createFrom().failure(new LockLostException("a", "it was gone", null))
                                : release)))
                .time(time).threads(CallerThreads.plain(Runnable::run)).start();
        assertThatThrownBy(() -> engine.manager(LINGERING).lock("a").run(() -> {
            time.shiftWallClock(Duration.ofSeconds(10));
            gone.set(true);
        })).isInstanceOf(LockLostException.class);
        gone.set(false);
        engine.close();
    }

    @Test
    void fault212_requestedReleaseEndsIdleGrant() {
        used();
        elsewhere.requestRelease("a");
        assertThat(free()).isTrue();
    }

    @Test
    void fault212_forcedReleaseEndsIdleGrant() {
        long first = used();
        elsewhere.forceRelease("a");
        assertThat(used()).isGreaterThanOrEqualTo(first + 1024);
    }

    @Test
    void fault211_doubtEndsIdleGrant() {
        long first = used();
        one.recheck();
        assertThat(used()).isGreaterThanOrEqualTo(first + 1024);
    }

    @Test
    void fault350_doubtBeforeReleasePreventsLinger() {
        long first;
        try (LockHandle hold = locks.lock("a").acquire()) {
            first = hold.fencingToken();
            time.advance(Duration.ofMillis(1));
            one.recheck(); // and nothing is sent before the hold ends
        }
        assertThat(used()).isGreaterThanOrEqualTo(first + 1024);
    }

    @Test
    void fault350_doubtDuringReleasePreventsLinger() {
        var then = new AtomicReference<Runnable>();
        try (LockEngine engine = meeting(then)) {
            LockHandle hold = engine.manager(LINGERING).lock("a").acquire();
            time.advance(Duration.ofMillis(1));
            then.set(engine::recheck);
            hold.close();
            assertThat(then.get()).isNull();
            assertThat(free()).isTrue();
        }
    }

    @Test
    void fault350_requestDuringReleasePreventsLinger() {
        var then = new AtomicReference<Runnable>();
        try (LockEngine engine = meeting(then)) {
            LockHandle hold = engine.manager(LINGERING).lock("a").acquire();
            then.set(() -> elsewhere.requestRelease("a"));
            hold.close();
            assertThat(then.get()).isNull();
            assertThat(free()).isTrue();
        }
    }

    /** An engine that runs {@code then} when it reads the clock: by then a released hold has ended. */
    private LockEngine meeting(AtomicReference<Runnable> then) {
        LockTime met = (LockTime) Proxy.newProxyInstance(LingerTest.class.getClassLoader(), new Class<?>[] { LockTime.class },
                (proxy, method, arguments) -> {
                    Runnable happens = method.getName().equals("nanoTime") ? then.getAndSet(null) : null;
                    if (happens != null) {
                        happens.run();
                    }
                    return method.invoke(time, arguments);
                });
        return LockEngine.builder(new LocalBackend(store, "meeting")).time(met).threads(CallerThreads.plain(Runnable::run))
                .start();
    }

    @Test
    void fault351_overlappingExtensionsEachGetFullLease() {
        var late = new AtomicBoolean();
        var renewals = new ArrayList<CompletableFuture<Void>>();
        var backend = new LocalBackend(store, "late");
        try (LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(),
                new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> {
                    Object answer = method.invoke(backend, arguments);
                    if (!method.getName().equals("renew") || !late.get()) {
                        return answer;
                    }
                    var renewal = new CompletableFuture<Void>();
                    renewals.add(renewal);
                    return Uni.createFrom().completionStage(renewal).<Object> chain(() -> (Uni<?>) answer);
                })).time(time).threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager manager = engine.manager(LINGERING);
            List.of("x", "y").forEach(name -> manager.lock(name).acquire().close());
            time.advance(LINGER.dividedBy(2)); // both are shortened by now
            late.set(true);
            try (LockHandle hold = manager.lock("x").acquire()) {
                time.advance(Duration.ofMillis(1));
                try (LockHandle other = manager.lock("y").acquire()) {
                    assertThat(other.isValid()).isTrue();
                    time.advance(Duration.ZERO);
                    assertThat(renewals).hasSize(2);
                    assertThat(hold.validFor()).isLessThan(LINGER.plus(MARGIN));
                    renewals.get(0).complete(null);
                    assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(20));
                }
            }
        }
    }

    /** Its JVM dies after the store has extended it to the whole lease again. */
    @Test
    void fault353_lateExtensionOfIdleGrantIsShortenedAgain() {
        var late = new AtomicBoolean();
        var renewal = new CompletableFuture<Void>();
        try (LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(),
                new Class<?>[] { LockBackend.class }, answering(new LocalBackend(store, "late"), "renew", (asked, answer) -> {
                    if (!late.get()) {
                        return answer;
                    }
                    var renewed = answer.subscribeAsCompletionStage(); // the store has it, only the answer is late
                    return Uni.createFrom().completionStage(renewal).chain(() -> Uni.createFrom().completionStage(renewed));
                }))).time(time).threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager manager = engine.manager(LINGERING);
            manager.lock("a").acquire().close();
            time.advance(LINGER.dividedBy(2)); // it is shortened by now
            late.set(true);
            LockHandle hold = manager.lock("a").acquire();
            time.advance(Duration.ofMillis(1));
            hold.close();
            time.advance(LINGER.dividedBy(4));
            renewal.complete(null);
            time.pause(LINGER.plus(MARGIN.multipliedBy(3).dividedBy(2))); // as if it were dead
            assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent();
        }
    }

    @Test
    void fault213_grantBeingShortenedIsNotReused() {
        var silent = new AtomicBoolean(true);
        LockEngine engine = LockEngine.builder(notAnswering("shortenIdle", silent)).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start();
        LockManager manager = engine.manager(LINGERING);
        long first;
        try (LockHandle hold = manager.lock("b").acquire()) {
            first = hold.fencingToken();
        }
        time.advance(LINGER.dividedBy(4));
        try (LockHandle hold = manager.lock("b").tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(hold.fencingToken()).isGreaterThanOrEqualTo(first + 1024);
        }
        engine.close();
    }

    @Test
    void fault213_releaseAfterFailedShorteningIsRetried() {
        var cut = new AtomicBoolean();
        var own = new LocalStore(time);
        var backend = new LocalBackend(own, "cut");
        LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(LingerTest.class.getClassLoader(),
                new Class<?>[] { LockBackend.class },
                (proxy, method, arguments) -> cut.get() && Set.of("shortenIdle", "release").contains(method.getName())
                        ? Uni.createFrom().failure(new IllegalStateException("cut"))
                        : method.invoke(backend, arguments)))
                .time(time).threads(CallerThreads.plain(Runnable::run)).start();
        engine.manager(LINGERING).lock("b").acquire().close();
        cut.set(true);
        time.advance(Duration.ofSeconds(6)); // longer than the shortened lease, which may not have reached the store
        assertThat(backend.inspect("b").await().indefinitely()).isPresent();
        cut.set(false);
        time.advance(Duration.ofSeconds(2));
        assertThat(backend.inspect("b").await().indefinitely()).as("long before its lease ends").isEmpty();
        engine.close();
    }

    @Test
    void fault216_callerWaitsForPendingRelease() {
        var silent = new AtomicBoolean(true);
        LockEngine engine = LockEngine.builder(notAnswering("release", silent)).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start();
        LockManager manager = engine.manager(LINGERING);
        manager.lock("b").acquire().close();
        time.advance(LINGER);
        assertThat(engine.census().take()).isEmpty();
        UniAssertSubscriber<LockHandle> next = manager.lock("b").acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        next.assertNotTerminated();
        assertThat(manager.inspect("b").orElseThrow().waiters()).as("no claim before the release is answered").isZero();
        next.cancel();
        engine.close();
    }

    @Test
    void fault215_shutdownReleasesIdleGrant() {
        used();
        assertThat(one.drain(Duration.ZERO)).isTrue();
        assertThat(free()).isTrue();
    }

    @Test
    void fault357_noIdleGrantSurvivesACheckpoint() {
        used();
        one.beforeCheckpoint();
        assertThat(free()).isTrue();
        used();
        assertThat(free()).as("the process might be frozen by now").isTrue();
        one.afterRestore();
        used();
        assertThat(free()).isFalse();
    }

    @Test
    void costPerNameDoesNotGrowWithTheNames() {
        var looks = new AtomicInteger();
        LockTime counting = (LockTime) Proxy.newProxyInstance(LingerTest.class.getClassLoader(),
                new Class<?>[] { LockTime.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("wallMillis")) {
                        looks.incrementAndGet();
                    }
                    return method.invoke(time, arguments);
                });
        LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "many")).time(counting)
                .threads(CallerThreads.plain(Runnable::run)).start();
        LockManager manager = engine.manager(LINGERING);
        int names = 1000;
        for (int i = 0; i < names; i++) {
            manager.lock("n" + i).acquire().close();
            time.advance(Duration.ofNanos(100_000));
        }
        time.advance(LINGER);
        assertThat(manager.inspect("n" + (names - 1))).isEmpty();
        assertThat(looks.get()).isLessThan(30 * names);
        engine.close();
    }

    @Test
    void shortenedGrantIsReusableUntilLingerEnds() {
        LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "margin")).time(time).margin(MARGIN)
                .threads(CallerThreads.plain(Runnable::run)).start();
        LockManager manager = engine.manager(LINGERING);
        long first;
        try (LockHandle hold = manager.lock("b").acquire()) {
            first = hold.fencingToken();
        }
        time.advance(LINGER.minusMillis(1));
        try (LockHandle hold = manager.lock("b").acquire()) {
            assertThat(hold.fencingToken()).isEqualTo(first + 1);
        }
        engine.close();
    }

    @Test
    void fault573_unusedHandleDoesNotLinger() {
        locks.lock("a").acquireAsync().chain(handle -> Uni.createFrom().nothing()).subscribe().with(nothing -> {
        }).cancel();
        assertThat(free()).isTrue();
    }

    @Test
    void readerWithMaxHoldDoesNotLinger() {
        locks.lock("a", READ.withMaxHold(Duration.ofMinutes(1))).acquire().close();
        assertThat(free()).isTrue();
    }

    @Test
    void multiNameHoldReusesIdleGrant() {
        long first = used();
        try (LockHandle both = locks.all("a", "b").acquire()) {
            assertThat(both.isValid()).isTrue();
        }
        assertThat(used()).isEqualTo(first + 2);
        assertThat(List.of("a", "b")).allSatisfy(name -> assertThat(elsewhere.inspect(name)).isPresent());
    }
}
