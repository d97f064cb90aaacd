package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Many items under one lock, in virtual time and on one thread. */
class MultiPipelineTest {

    private static final String[] A = { "a" };

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine engine = LockEngine.builder(new LocalBackend(store, "test")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
    private final Source source = new Source();

    @AfterEach
    void nothingIsLeft() {
        assertThat(engine.held()).isEmpty();
        assertThat(locks.inspect("a")).isEmpty();
        engine.close();
    }

    private Multi<String> locked(Multi<String> body) {
        return engine.pipelines().lockedMulti(A, settings, null, (hold, pipeline) -> body);
    }

    private AssertSubscriber<String> subscribe(Multi<String> items, int requested) {
        return items.subscribe().withSubscriber(AssertSubscriber.create(requested));
    }

    @Test
    void itemsPassAndCompletionFollowsTheRelease() {
        AtomicBoolean heldAtTheEnd = new AtomicBoolean(true);
        var subscriber = subscribe(locked(source).onCompletion().invoke(() -> heldAtTheEnd.set(!engine.held().isEmpty())), 5);
        source.subscriber.onItem("x");
        assertThat(engine.held()).hasSize(1);
        source.subscriber.onItem("y");
        source.subscriber.onCompletion();
        subscriber.assertCompleted().assertItems("x", "y");
        assertThat(heldAtTheEnd).isFalse();
    }

    @Test
    void demandDuringTheWaitIsForwardedAfterTheGrant() {
        LockHandle hold = locks.lock("a").acquire();
        var subscriber = subscribe(locked(source), 2);
        subscriber.request(3);
        assertThat(source.subscriber).isNull();
        hold.close();
        assertThat(source.requested).isEqualTo(5);
        subscriber.request(1);
        assertThat(source.requested).isEqualTo(6);
        subscriber.cancel();
        assertThat(source.cancelled).isTrue();
    }

    @Test
    void multiFailsWhenTheWaitTimesOut() {
        LockHandle hold = locks.lock("a").acquire();
        var subscriber = subscribe(locked(source), 1);
        time.advance(Duration.ofSeconds(11));
        subscriber.assertFailedWith(LockBusyException.class, "'a'");
        hold.close();
    }

    @Test
    void lossFailsMultiAndCancelsItsBody() {
        var subscriber = subscribe(locked(source), 5);
        source.subscriber.onItem("x");
        locks.forceRelease("a");
        assertThat(source.cancelled).isTrue();
        subscriber.assertFailedWith(LockLostException.class, "'a'");
        source.subscriber.onItem("y");
        source.subscriber.onCompletion();
        subscriber.assertItems("x");
    }

    /** A database session, for example, belongs to its thread. */
    @Test
    void lossCancelsBodyOnTheThreadWhereItBegan() {
        Deque<Runnable> here = new ArrayDeque<>();
        try (LockEngine elsewhere = leadingTo(here)) {
            var subscriber = begun(elsewhere, here);
            locks.forceRelease("a");
            assertThat(source.cancelled).as("on the thread that reports the loss").isFalse();
            source.subscriber.onItem("y");
            here.remove().run();
            assertThat(source.cancelled).isTrue();
            subscriber.assertFailedWith(LockLostException.class, "'a'").assertHasNotReceivedAnyItem();
        }
    }

    @Test
    void bodyCompletingBeforeLossIsDeliveredStillFails() {
        Deque<Runnable> here = new ArrayDeque<>();
        try (LockEngine elsewhere = leadingTo(here)) {
            var subscriber = begun(elsewhere, here);
            locks.forceRelease("a");
            source.subscriber.onCompletion();
            runAll(here);
            assertThat(source.cancelled).isFalse();
            subscriber.assertFailedWith(LockLostException.class, "'a'");
        }
    }

    private AssertSubscriber<String> begun(LockEngine elsewhere, Deque<Runnable> here) {
        var subscriber = subscribe(elsewhere.pipelines().lockedMulti(A, settings, null, (hold, pipeline) -> source),
                5);
        runAll(here);
        return subscriber;
    }

    private static void runAll(Deque<Runnable> tasks) {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private LockEngine leadingTo(Deque<Runnable> here) {
        return LockEngine.builder(new LocalBackend(store, "elsewhere")).time(time).threads(threadsLeadingTo(here)).start();
    }

    private static CallerThreads threadsLeadingTo(Deque<Runnable> here) {
        return new CallerThreads() {
            @Override
            public boolean blockingForbidden() {
                return false;
            }

            @Override
            public Executor here() {
                return here::add;
            }

            @Override
            public Executor workers() {
                return Runnable::run;
            }

            @Override
            public boolean workersNeverRunOut() {
                return true;
            }
        };
    }

    @Test
    void lossIsSignalledAfterTheItemInProgress() {
        List<String> seen = new ArrayList<>();
        locked(source).subscribe().with(item -> {
            locks.forceRelease("a"); // while the item is being processed, as another thread would
            seen.add(item);
        }, failure -> seen.add(failure.getClass().getSimpleName()));
        source.subscriber.onItem("x");
        assertThat(seen).containsExactly("x", "LockLostException");
    }

    @Test
    void sourceMayEmitSynchronouslyOnRequest() {
        var subscriber = subscribe(locked(Multi.createBy().repeating().supplier(() -> "x").atMost(3)), 3);
        subscriber.assertCompleted().assertItems("x", "x", "x");
    }

    @Test
    void bodyCreatedDuringCancellationIsCancelled() {
        Multi<String> items = engine.pipelines().lockedMulti(A, settings, null, (hold, pipeline) -> {
            ((Flow.Subscription) pipeline).cancel();
            return source;
        });
        subscribe(items, 1);
        assertThat(source.cancelled).isTrue();
    }

    @Test
    void bodyThatThrowsOnSubscribeReleasesTheLock() {
        IllegalStateException failure = new IllegalStateException("on purpose");
        subscribe(locked(new io.smallrye.mutiny.operators.AbstractMulti<String>() {
            @Override
            public void subscribe(MultiSubscriber<? super String> subscriber) {
                throw failure;
            }
        }), 1).assertFailedWith(IllegalStateException.class, "on purpose");
        Uni<String> uni = new io.smallrye.mutiny.operators.AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super String> subscriber) {
                throw failure;
            }
        };
        engine.pipelines().locked(A, settings, null, (hold, pipeline) -> uni).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).assertFailedWith(IllegalStateException.class, "on purpose");
    }

    @Test
    void fault195_bodyThatThrowsErrorOnSubscribeReleasesTheLock() {
        InternalError failure = new InternalError("on purpose");
        subscribe(locked(new io.smallrye.mutiny.operators.AbstractMulti<String>() {
            @Override
            public void subscribe(MultiSubscriber<? super String> subscriber) {
                throw failure;
            }
        }), 1).assertFailedWith(InternalError.class, "on purpose");
        Uni<String> uni = new io.smallrye.mutiny.operators.AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super String> subscriber) {
                throw failure;
            }
        };
        engine.pipelines().locked(A, settings, null, (hold, pipeline) -> uni).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).assertFailedWith(InternalError.class, "on purpose");
    }

    @Test
    void nestedMultiLockOfSameNameIsReentrant() {
        var subscriber = subscribe(locked(locked(locked(source))), 5);
        source.subscriber.onItem("x");
        source.subscriber.onFailure(new IllegalStateException("on purpose"));
        subscriber.assertFailedWith(IllegalStateException.class, "on purpose").assertItems("x");
    }

    /** A source whose signals the test sends by hand. */
    private static final class Source extends io.smallrye.mutiny.operators.AbstractMulti<String>
            implements Flow.Subscription {

        MultiSubscriber<? super String> subscriber;
        long requested;
        boolean cancelled;

        @Override
        public void subscribe(MultiSubscriber<? super String> to) {
            subscriber = to;
            to.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            requested += n;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
