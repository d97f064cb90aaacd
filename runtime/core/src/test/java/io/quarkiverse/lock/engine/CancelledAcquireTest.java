package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** Cancels a non-blocking acquisition of one or several names at every point. */
class CancelledAcquireTest {

    private static final int RACES = 300;
    private static final Duration AT_LEAST = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    /** Tasks handed back to the caller, which runs them later. */
    private final Queue<Runnable> ledBack = new ArrayDeque<>();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(store, "here")).time(time)
            .threads(CallerThreads.plain(ledBack::add)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LockEngine other = LockEngine.builder(new LocalBackend(store, "elsewhere")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager elsewhere = other.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        engine.close();
        other.close();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelledBeforeAcquisitionStarts(int names) {
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(new UniAssertSubscriber<>(true));
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelledCallerIsNotQueued(int names) {
        LockHandle first = elsewhere.lock(name(1)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(new UniAssertSubscriber<>(true));
        assertThat(elsewhere.inspect(name(1)).orElseThrow().waiters()).isZero();
        first.close();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 3 })
    void cancelledCallerIsNotQueuedForNextName(int names) {
        LockHandle first = elsewhere.lock(name(1)).acquire();
        LockHandle second = elsewhere.lock(name(2)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        first.close();
        subscriber.cancel();
        runWhatIsLedBack();
        assertThat(engine.held()).isEmpty();
        assertThat(elsewhere.inspect(name(2)).orElseThrow().waiters()).isZero();
        second.close();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelledWhileWaitingForLastName(int names) {
        LockHandle last = elsewhere.lock(name(names)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        subscriber.cancel();
        last.close();
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelledBeforeFirstGrantIsDelivered(int names) {
        LockHandle first = elsewhere.lock(name(1)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        first.close();
        assertThat(ledBack).as("the grant").hasSize(1);
        subscriber.cancel();
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelledBeforeLastGrantIsDelivered(int names) {
        LockHandle last = elsewhere.lock(name(names)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        last.close();
        assertThat(ledBack).as("the grant").hasSize(1);
        subscriber.cancel();
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancellationAfterDeliveryReleasesAll(int names) {
        var cancelled = lock(names).acquireAsync().chain(handle -> Uni.createFrom().nothing()).subscribe()
                .with(nothing -> {
                });
        assertThat(engine.held()).hasSize(names);
        cancelled.cancel();
        cancelled.cancel();
        runWhatIsLedBack();
        assertThat(engine.held()).isEmpty();
    }

    @Test
    void fault425_usedHandleKeepsHoldAtLeastAfterCancel() {
        for (int names = 1; names <= 3; names++) {
            cancelledAfter(names, LockHandle::isValid);
            assertThat(elsewhere.lock(name(1)).tryAcquire(Duration.ZERO)).isEmpty();
            time.advance(AT_LEAST);
            assertNothingIsLeft();
        }
    }

    @Test
    void fault425_unusedHandleIsFreedAfterCancel() {
        for (int names = 1; names <= 3; names++) {
            cancelledAfter(names, handle -> {
            });
            assertNothingIsLeft();
        }
    }

    private void cancelledAfter(int names, Consumer<LockHandle> use) {
        var cancelled = locks.all(LockOptions.DEFAULTS.withHoldAtLeast(AT_LEAST), names(names)).acquireAsync()
                .chain(handle -> {
                    use.accept(handle);
                    return Uni.createFrom().nothing();
                }).subscribe().with(nothing -> {
                });
        assertThat(engine.held()).hasSize(names);
        cancelled.cancel();
        runWhatIsLedBack();
        assertThat(engine.held()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 3 })
    void cancelledBeforeRefusalIsDelivered(int names) {
        LockHandle last = elsewhere.lock(name(names)).acquire();
        var subscriber = lock(names).tryAcquireAsync(Duration.ofSeconds(1)).subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        assertThat(engine.held()).hasSize(names - 1);
        time.advance(Duration.ofSeconds(2));
        assertThat(ledBack).as("the refusal").hasSize(1);
        subscriber.cancel();
        runWhatIsLedBack();
        last.close();
        subscriber.assertNotTerminated();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 3 })
    void cancelledAfterFirstNameWasLost(int names) {
        LockHandle last = elsewhere.lock(name(names)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        assertThat(elsewhere.forceRelease(name(1))).isTrue();
        subscriber.cancel();
        last.close();
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 3 })
    void cancelledWhileRestartingAcquisition(int names) {
        LockHandle last = elsewhere.lock(name(names)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        assertThat(elsewhere.forceRelease(name(1))).isTrue();
        LockHandle again = elsewhere.lock(name(1)).acquire();
        last.close();
        runWhatIsLedBack();
        subscriber.assertNotTerminated();
        assertThat(engine.held()).as("all of them were released").isEmpty();
        subscriber.cancel();
        again.close();
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelledAfterEngineWasClosed(int names) {
        LockHandle last = elsewhere.lock(name(names)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        engine.close();
        subscriber.cancel();
        runWhatIsLedBack();
        last.close();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelRacesWithLastGrant(int names) throws Exception {
        try (LockEngine direct = LockEngine.builder(new LocalBackend(store, "at once")).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager atOnce = direct.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < RACES; i++) {
                LockHandle last = elsewhere.lock(name(names)).acquire();
                var subscriber = atOnce.all(names(names)).acquireAsync().subscribe()
                        .withSubscriber(UniAssertSubscriber.create());
                race(last::close, subscriber::cancel);
                assertThat(direct.held()).isEmpty();
            }
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void cancelRacesWithSubscription(int names) throws Exception {
        try (LockEngine direct = LockEngine.builder(new LocalBackend(store, "at once")).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager atOnce = direct.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < RACES; i++) {
                CompletableFuture<UniSubscription> subscription = new CompletableFuture<>();
                race(() -> AbstractUni.subscribe(atOnce.all(names(names)).acquireAsync(), new UniSubscriber<LockHandle>() {
                    @Override
                    public void onSubscribe(UniSubscription started) {
                        subscription.complete(started);
                    }

                    @Override
                    public void onItem(LockHandle handle) {
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                    }
                }), () -> subscription.orTimeout(1, TimeUnit.MINUTES).join().cancel());
                assertThat(direct.held()).isEmpty();
            }
        }
        assertNothingIsLeft();
    }

    @Test
    void cancelRacesWithJointGrant() throws Exception {
        AnsweringBackend backend = new AnsweringBackend();
        backend.together = true;
        try (LockEngine direct = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager atOnce = direct.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < RACES; i++) {
                var subscriber = atOnce.all(names(2)).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
                race(backend::grantTogether, subscriber::cancel);
                assertThat(direct.held()).isEmpty();
                assertThat(backend.released).containsExactlyInAnyOrderElementsOf(backend.granted);
                assertThat(backend.asked).as("one by one").isEmpty();
                backend.released.clear();
                backend.granted.clear();
            }
        }
    }

    @Test
    void cancelledDuringJointClaim() {
        AnsweringBackend backend = new AnsweringBackend();
        backend.together = true;
        try (LockEngine direct = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start()) {
            var subscriber = new UniAssertSubscriber<LockHandle>();
            backend.whenAskedTogether = subscriber::cancel;
            direct.manager(ManagerDefaults.STANDARD).all(names(2)).acquireAsync().subscribe().withSubscriber(subscriber);
            assertThat(backend.cancelledTogether).isEqualTo(1);
            backend.grantTogether();
            subscriber.assertNotTerminated();
            assertThat(backend.released).containsExactlyInAnyOrderElementsOf(backend.granted).hasSize(2);
            assertThat(direct.held()).isEmpty();
            assertThat(backend.asked).as("one by one").isEmpty();
        }
    }

    private static void race(Runnable one, Runnable other) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        CompletableFuture<Void> elsewhere = CompletableFuture.runAsync(() -> {
            await(barrier);
            one.run();
        }, task -> new Thread(task).start());
        await(barrier);
        other.run();
        elsewhere.get(1, TimeUnit.MINUTES);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private DistributedLock lock(int names) {
        return locks.all(names(names));
    }

    private static String[] names(int names) {
        String[] all = new String[names];
        for (int i = 0; i < names; i++) {
            all[i] = name(i + 1);
        }
        return all;
    }

    private static String name(int number) {
        return "name " + number;
    }

    private void runWhatIsLedBack() {
        while (!ledBack.isEmpty()) {
            ledBack.remove().run();
        }
    }

    private void assertNothingIsLeft(UniAssertSubscriber<LockHandle> subscriber) {
        subscriber.assertNotTerminated();
        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() {
        assertThat(engine.held()).isEmpty();
        elsewhere.all(name(1), name(2), name(3)).tryAcquire(Duration.ZERO).orElseThrow().close();
        time.advance(Duration.ofMinutes(2));
        assertThat(time.timers()).as("no renewal or wait is left").isZero();
    }
}
