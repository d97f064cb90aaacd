package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A cancellation at each point of an acquisition without a thread, of one name and of several. */
class CancelledAcquireTest {

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    /** What is led back to the caller, which runs it later. */
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
    void beforeItBegins(int names) {
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(new UniAssertSubscriber<>(true));
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void whileItWaitsForTheLast(int names) {
        LockHandle last = elsewhere.lock(name(names)).acquire();
        var subscriber = lock(names).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
        subscriber.cancel();
        last.close();
        runWhatIsLedBack();
        assertNothingIsLeft(subscriber);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void whileTheGrantOfTheFirstIsOnItsWay(int names) {
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
    void whileTheGrantOfTheLastIsOnItsWay(int names) {
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
    void afterTheDelivery(int names) {
        var cancelled = lock(names).acquireAsync().chain(handle -> Uni.createFrom().nothing()).subscribe()
                .with(nothing -> {
                });
        assertThat(engine.held()).hasSize(names);
        cancelled.cancel();
        cancelled.cancel();
        runWhatIsLedBack();
        assertThat(engine.held()).isEmpty();
    }

    private DistributedLock lock(int names) {
        String[] all = new String[names];
        for (int i = 0; i < names; i++) {
            all[i] = name(i + 1);
        }
        return locks.all(all);
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
        assertThat(engine.held()).isEmpty();
        elsewhere.all(name(1), name(2), name(3)).tryAcquire(Duration.ZERO).orElseThrow().close();
        time.advance(Duration.ofMinutes(2));
        assertThat(time.timers()).as("nobody renews or waits").isZero();
    }
}
