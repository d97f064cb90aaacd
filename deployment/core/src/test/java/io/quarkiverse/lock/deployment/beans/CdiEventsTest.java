package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockAcquired;
import io.quarkiverse.lock.LockBusy;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLost;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockReleaseRequested;
import io.quarkiverse.lock.LockReleased;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Observers and listeners are notified; a failing one stops neither the lock nor the other listeners from working. */
class CdiEventsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Observer.class, First.class, Second.class, Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Observer observer;

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    @Test
    void observersAndListenersAreNotified() throws InterruptedException {
        orders.pay(7);

        assertThat(observer.next(LockAcquired.class)).satisfies(event -> {
            assertThat(event.name()).isEqualTo("order-7");
            assertThat(event.template()).isEqualTo("order-{id}");
            assertThat(event.fencingToken()).isPositive();
        });
        assertThat(observer.next(LockReleased.class).held()).isPositive();
        assertThat(First.KINDS).contains(Kind.REQUESTED, Kind.GRANTED, Kind.RELEASED);
        assertThat(Second.KINDS).isEqualTo(First.KINDS);

        try (LockHandle hold = locks.lock("manual").acquire()) {
            assertThat(observer.next(LockAcquired.class).template()).isNull();
            assertThat(locks.lock("manual").tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(observer.next(LockBusy.class).name()).isEqualTo("manual");
            assertThat(locks.requestRelease("manual")).isTrue();
            assertThat(observer.next(LockReleaseRequested.class)).satisfies(event -> {
                assertThat(event.name()).isEqualTo("manual");
                assertThat(event.template()).isNull();
                assertThat(event.fencingToken()).isEqualTo(hold.fencingToken());
                assertThat(event.held()).isPositive();
            });
            assertThat(locks.forceRelease("manual")).isTrue();
            assertThat(observer.next(LockLost.class)).satisfies(event -> {
                assertThat(event.fencingToken()).isEqualTo(hold.fencingToken());
                assertThat(event.reason()).isNotBlank();
            });
        }
    }

    /** The previous holder hands over the lock on its own thread, but its request context stays behind. */
    @Test
    void fault330_grantEventDoesNotSeePreviousHoldersContext() throws Exception {
        Context theirs = VertxContext.getOrCreateDuplicatedContext(vertx);
        LockHandle first = locks.lock("handed").acquire();
        CompletableFuture<LockHandle> waiting = locks.lock("handed").acquireAsync().subscribeAsCompletionStage();
        theirs.runOnContext(ignored -> first.release().subscribe().with(nothing -> {
        }));
        try (LockHandle second = waiting.get(10, TimeUnit.SECONDS)) {
            assertThat(observer.contextOf(LockAcquired.class, acquired(second))).isEmpty();
        }
    }

    /** After a release request the backend hands over the lock, and grants it to the next caller on the releasing thread. */
    @Test
    void fault375_eventsDoNotSeeContextOfTheirTrigger() throws Exception {
        Context theirs = VertxContext.getOrCreateDuplicatedContext(vertx);
        LockHandle first = locks.lock("asked").acquire();
        CompletableFuture<LockHandle> waiting = locks.lock("asked").acquireAsync().subscribeAsCompletionStage();
        theirs.runOnContext(ignored -> locks.requestReleaseAsync("asked").subscribe().with(nothing -> {
        }));
        Optional<Context> ofTheRequest = observer.contextOf(LockReleaseRequested.class,
                event -> event.name().equals("asked"));
        theirs.runOnContext(ignored -> first.release().subscribe().with(nothing -> {
        }));
        LockHandle second = waiting.get(10, TimeUnit.SECONDS);
        Optional<Context> ofTheGrant = observer.contextOf(LockAcquired.class, acquired(second));
        theirs.runOnContext(ignored -> locks.forceReleaseAsync("asked").subscribe().with(nothing -> {
        }));
        Optional<Context> ofTheLoss = observer.contextOf(LockLost.class, event -> event.name().equals("asked"));
        assertThat(List.of(ofTheRequest, ofTheGrant, ofTheLoss)).containsOnly(Optional.empty());
    }

    private static Predicate<LockAcquired> acquired(LockHandle by) {
        return event -> event.name().equals(by.name()) && event.fencingToken() == by.fencingToken();
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order-{id}")
        void pay(int id) {
        }
    }

    @Singleton
    public static class Observer {

        /** By type: notifications come on many threads, and one may overtake another. */
        private final Map<Class<?>, BlockingQueue<Object>> events = new ConcurrentHashMap<>();
        /** The contexts in which the events arrived. */
        private final Map<Object, Optional<Context>> contexts = new ConcurrentHashMap<>();

        <T> T next(Class<T> type) throws InterruptedException {
            Object event = queue(type).poll(10, TimeUnit.SECONDS);
            assertThat(event).as("an event of " + type).isNotNull();
            return type.cast(event);
        }

        <T> Optional<Context> contextOf(Class<T> type, Predicate<T> wanted) throws InterruptedException {
            T event = next(type);
            while (!wanted.test(event)) {
                event = next(type);
            }
            return contexts.get(event);
        }

        private void observed(Object event) {
            contexts.put(event, Optional.ofNullable(Vertx.currentContext()));
            queue(event.getClass()).add(event);
        }

        private BlockingQueue<Object> queue(Class<?> type) {
            return events.computeIfAbsent(type, any -> new LinkedBlockingQueue<>());
        }

        void acquired(@ObservesAsync LockAcquired event) {
            observed(event);
        }

        void released(@ObservesAsync LockReleased event) {
            observed(event);
        }

        void lost(@ObservesAsync LockLost event) {
            observed(event);
        }

        void releaseRequested(@ObservesAsync LockReleaseRequested event) {
            observed(event);
        }

        void busy(@ObservesAsync LockBusy event) {
            observed(event);
        }
    }

    @Singleton
    public static class First implements LockListener {

        static final List<Kind> KINDS = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(LockEvent event) {
            KINDS.add(event.kind());
            throw new IllegalStateException("on purpose");
        }
    }

    @Singleton
    public static class Second implements LockListener {

        static final List<Kind> KINDS = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(LockEvent event) {
            KINDS.add(event.kind());
            throw new IllegalStateException("on purpose");
        }
    }
}
