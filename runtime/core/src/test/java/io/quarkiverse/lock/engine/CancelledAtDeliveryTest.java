package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** A cancellation by the subscriber that receives the handle: some Mutiny operators cancel before they pass it on. */
class CancelledAtDeliveryTest {

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
    void nothingIsLeft() {
        assertThat(engine.held()).isEmpty();
        elsewhere.all("a", "b", "c").tryAcquire(Duration.ZERO).orElseThrow().close();
        time.advance(Duration.ofMinutes(2));
        assertThat(time.timers()).as("no renewal or wait is left").isZero();
        engine.close();
        other.close();
    }

    private enum Asked {
        ONE(locks -> first(locks.lock("a").acquireAsync(), locks.lock("b").acquireAsync())),
        SEVERAL(locks -> first(locks.all("a", "c").acquireAsync(), locks.lock("b").acquireAsync())),
        UNLESS_BUSY(locks -> first(locks.lock("a").tryAcquireAsync(Duration.ofSeconds(9)),
                locks.lock("b").tryAcquireAsync(Duration.ofSeconds(9))).map(Optional::orElseThrow)),
        /** The handle is used before it wins. */
        SEEN(locks -> first(locks.lock("a").acquireAsync().invoke(LockHandle::fencingToken),
                locks.lock("b").acquireAsync()));

        private final Function<LockManager, Uni<LockHandle>> first;

        Asked(Function<LockManager, Uni<LockHandle>> first) {
            this.first = first;
        }

        private static <T> Uni<T> first(Uni<T> one, Uni<T> another) {
            return Uni.join().first(one, another).withItem();
        }
    }

    @ParameterizedTest
    @EnumSource
    void fault505_firstFreeLockIsHeld(Asked asked) {
        assertHeld(asked.first.apply(locks).subscribe().withSubscriber(UniAssertSubscriber.create()).getItem());
    }

    @ParameterizedTest
    @EnumSource
    void fault505_firstLockToBecomeFreeIsHeld(Asked asked) {
        LockHandle a = elsewhere.lock("a").acquire();
        LockHandle b = elsewhere.lock("b").acquire();
        var subscriber = asked.first.apply(locks).subscribe().withSubscriber(UniAssertSubscriber.create());
        a.close();
        runWhatIsLedBack();
        assertHeld(subscriber.getItem());
        assertThat(elsewhere.inspect("b").orElseThrow().waiters()).isZero();
        b.close();
    }

    @ParameterizedTest
    @EnumSource
    void fault505_awaitedHandleIsHeld(Asked asked) {
        assertHeld(asked.first.apply(locks).await().indefinitely());
    }

    /** An operator in between does not pass on a second cancellation. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEEN")
    void fault505_laterCancellationReleasesHandle(Asked asked) {
        var working = asked.first.apply(locks).chain(handle -> {
            assertThat(handle.isValid()).isTrue();
            return Uni.createFrom().nothing();
        }).subscribe().with(nothing -> {
        });
        assertThat(engine.held()).isNotEmpty();
        working.cancel();
        runWhatIsLedBack();
    }

    private void assertHeld(LockHandle handle) {
        assertThat(handle.isValid()).isTrue();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        handle.close();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void fault505_cancellingInOnItemKeepsTheHandle(int names) {
        String[] all = List.of("a", "b", "c").subList(0, names).toArray(String[]::new);
        LockHandle last = elsewhere.lock(all[names - 1]).acquire();
        AtomicReference<LockHandle> delivered = new AtomicReference<>();
        AtomicReference<UniSubscription> subscription = new AtomicReference<>();
        AbstractUni.subscribe(locks.all(all).acquireAsync(), new UniSubscriber<LockHandle>() {
            @Override
            public void onSubscribe(UniSubscription started) {
                subscription.set(started);
            }

            @Override
            public void onItem(LockHandle handle) {
                delivered.set(handle);
                subscription.get().cancel();
            }

            @Override
            public void onFailure(Throwable failure) {
                throw new AssertionError(failure);
            }
        });
        last.close();
        runWhatIsLedBack();
        assertThat(delivered.get().isValid()).isTrue();
        delivered.get().close();
    }

    @Test
    void fault505_cancellationAfterFailedDeliveryReleasesHandle() {
        AtomicReference<UniSubscription> subscription = new AtomicReference<>();
        LockHandle last = elsewhere.lock("a").acquire();
        AbstractUni.subscribe(locks.lock("a").acquireAsync(), new UniSubscriber<LockHandle>() {
            @Override
            public void onSubscribe(UniSubscription started) {
                subscription.set(started);
            }

            @Override
            public void onItem(LockHandle handle) {
                throw new IllegalStateException("not today");
            }

            @Override
            public void onFailure(Throwable failure) {
            }
        });
        last.close();
        try {
            runWhatIsLedBack();
        } catch (IllegalStateException expected) {
            // thrown by the subscriber
        }
        assertThat(engine.held()).hasSize(1);
        subscription.get().cancel();
        runWhatIsLedBack();
    }

    private void runWhatIsLedBack() {
        while (!ledBack.isEmpty()) {
            ledBack.remove().run();
        }
    }
}
