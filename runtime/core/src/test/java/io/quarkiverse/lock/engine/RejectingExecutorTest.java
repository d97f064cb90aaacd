package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** The executor of the callers rejects work. They still get their outcome, and no lock stays behind. */
class RejectingExecutorTest {

    private static final String[] A = { "a" };

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final AnsweringBackend answering = new AnsweringBackend();
    private final LockEngine engine = engine(new LocalBackend(store, "here"));
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = engine(new LocalBackend(store, "elsewhere")).manager(ManagerDefaults.STANDARD);
    private final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
    private boolean rejects;
    private boolean rejectsOnce;
    private Runnable beforeRejection = () -> {
    };

    @Test
    void fault124_undeliverableGrantIsReleased() {
        LockHandle first = elsewhere.lock("a").acquire();
        var waiting = subscribe(locks.lock("a").acquireAsync());
        rejects = true;
        first.close();
        waiting.assertFailedWith(IllegalStateException.class, "'a'");
        assertThat(waiting.getFailure()).hasCauseInstanceOf(RejectedExecutionException.class);
        assertNothingIsLeft();
    }

    @Test
    void fault124_undeliverableGrantPassesToNextWaiter() {
        LockHandle first = elsewhere.lock("a").acquire();
        var waiting = subscribe(locks.lock("a").acquireAsync());
        var next = subscribe(locks.lock("a").acquireAsync());
        rejects = true;
        rejectsOnce = true;
        first.close();
        waiting.assertFailedWith(IllegalStateException.class, "'a'");
        next.getItem().close();
        assertNothingIsLeft();
    }

    @Test
    void fault124_undeliverableGrantIgnoresHoldAtLeast() {
        LockHandle first = elsewhere.lock("a").acquire();
        var waiting = subscribe(
                locks.lock("a", LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofSeconds(5))).acquireAsync());
        rejects = true;
        first.close();
        assertThat(waiting.getFailure()).isNotNull();
        elsewhere.lock("a").tryAcquire(Duration.ZERO).orElseThrow().close();
        assertNothingIsLeft();
    }

    @Test
    void fault304_grantLostBeforeDeliveryFailsTheWaiter() {
        LockHandle first = elsewhere.lock("a").acquire();
        var waiting = subscribe(locks.lock("a").acquireAsync());
        rejects = true;
        beforeRejection = () -> locks.forceRelease("a");
        first.close();
        waiting.assertFailedWith(IllegalStateException.class, "'a'");
        assertThat(waiting.getFailure()).hasCauseInstanceOf(RejectedExecutionException.class);
        assertNothingIsLeft();
    }

    @Test
    void fault304_locksTakenBeforeTheLostOneAreReleased() {
        LockManager remote = engine(answering).manager(ManagerDefaults.STANDARD);
        var both = subscribe(remote.all("a", "b").acquireAsync());
        answering.grant();
        rejects = true;
        beforeRejection = () -> answering.listener.lost(answering.granted.get(1), "on purpose");
        answering.grant();
        both.assertFailedWith(IllegalStateException.class, "'b'");
        assertThat(answering.released).containsExactlyInAnyOrderElementsOf(answering.granted);
        assertThat(remote.held()).isEmpty();
    }

    @Test
    void fault124_timeoutIsDeliveredDespiteRejection() {
        LockHandle first = elsewhere.lock("a").acquire();
        var waiting = subscribe(locks.lock("a").acquireAsync());
        rejects = true;
        time.advance(Duration.ofSeconds(10));
        assertThat(waiting.getFailure()).hasMessageContaining("is still busy");
        first.close();
        assertNothingIsLeft();
    }

    /** An executor that runs work directly also throws the failures of that work, which are not rejections. */
    @Test
    void fault124_rejectionBySubscriberKeepsTheLock() {
        List<LockHandle> got = new ArrayList<>();
        LockHandle first = locks.lock("a").acquire();
        AbstractUni.subscribe(locks.lock("a").acquireAsync(), new UniSubscriber<>() {
            @Override
            public void onSubscribe(UniSubscription subscription) {
            }

            @Override
            public void onItem(LockHandle handle) {
                got.add(handle);
                throw new RejectedExecutionException("on purpose");
            }

            @Override
            public void onFailure(Throwable failure) {
            }
        });
        assertThatThrownBy(first::close).hasMessage("on purpose");
        assertThat(got).as("once, with the lock").singleElement().matches(LockHandle::isValid);
        got.get(0).close();
        assertNothingIsLeft();
    }

    @Test
    void fault124_resultIsDeliveredAfterTheRelease() {
        LockManager remote = engine(answering).manager(ManagerDefaults.STANDARD);
        CompletableFuture<String> body = new CompletableFuture<>();
        var call = subscribe(remote.lock("a").callAsync(() -> Uni.createFrom().completionStage(body)));
        answering.grant();
        rejects = true;
        body.complete("done");
        call.assertCompleted().assertItem("done");
        assertThat(answering.released).hasSize(1);
    }

    @Test
    void fault124_resultIsDeliveredAfterFailedRelease() {
        LockManager remote = engine(answering).manager(ManagerDefaults.STANDARD);
        CompletableFuture<String> body = new CompletableFuture<>();
        var call = subscribe(remote.lock("a").callAsync(() -> Uni.createFrom().completionStage(body)));
        answering.grant();
        answering.releaseFailure = new IllegalStateException("not released");
        rejects = true;
        body.complete("done");
        assertThat(call.getItem()).isEqualTo("done");
        assertThat(remote.held()).isEmpty();
    }

    @Test
    void fault124_cancelledTransactionRollsBack() {
        List<Throwable> rolledBack = new ArrayList<>();
        var call = subscribe(engine.pipelines().locked(A, settings, null, (hold, pipeline) -> Pipelines
                .failingInside(Uni.createFrom().<String> nothing(), pipeline).onFailure().invoke(rolledBack::add)));
        rejects = true;
        call.cancel();
        assertThat(rolledBack).hasSize(1);
        assertNothingIsLeft();
    }

    @Test
    void fault124_lossWhileBodyIsCreatedEndsTheCall() {
        var call = subscribe(locks.lock("a").callAsync(() -> {
            locks.forceRelease("a");
            rejects = true;
            return Uni.createFrom().nothing();
        }));
        call.assertFailedWith(LockLostException.class, "'a'");
        assertNothingIsLeft();
    }

    @Test
    void fault124_undeliverableGrantsOfSeveralNamesAreReleased() {
        answering.together = true;
        LockManager remote = engine(answering).manager(ManagerDefaults.STANDARD);
        var both = subscribe(remote.all("a", "b").acquireAsync());
        rejects = true;
        answering.grantTogether();
        both.assertFailedWith(IllegalStateException.class, "'a, b'");
        assertThat(answering.released).containsExactlyInAnyOrderElementsOf(answering.granted);
        assertThat(remote.held()).isEmpty();
    }

    @Test
    void fault124_severalNamesFailWithoutAnAnswerInTime() {
        answering.together = true;
        LockManager remote = engine(answering).manager(ManagerDefaults.STANDARD);
        var both = subscribe(remote.all("a", "b").acquireAsync());
        rejects = true;
        time.advance(Duration.ofSeconds(20));
        both.assertFailedWith(IllegalStateException.class, "'a, b'");
        assertThat(answering.asked).as("the names are not claimed one by one").isEmpty();
    }

    @Test
    void fault124_rejectionOfOneOfSeveralFailsAfterRelease() {
        LockManager remote = engine(answering).manager(ManagerDefaults.STANDARD);
        for (RuntimeException releaseFailure : new RuntimeException[] { null, new IllegalStateException("not released") }) {
            rejects = false;
            answering.releaseFailure = releaseFailure;
            int asked = answering.asked.size();
            var both = subscribe(remote.all("a", "b").acquireAsync());
            answering.grant(asked);
            rejects = true;
            answering.grant(asked + 1);
            both.assertFailedWith(IllegalStateException.class, "'b'");
            assertThat(remote.held()).isEmpty();
        }
    }

    private void assertNothingIsLeft() {
        rejects = false;
        assertThat(engine.held()).isEmpty();
        time.advance(Duration.ofMinutes(2));
        assertThat(locks.inspect("a")).as("nobody renews it").isEmpty();
        assertThat(time.timers()).isZero();
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private void lead(Runnable work) {
        if (rejects) {
            rejects = !rejectsOnce;
            beforeRejection.run();
            throw new RejectedExecutionException("no more work");
        }
        work.run();
    }

    private LockEngine engine(LockBackend backend) {
        return LockEngine.builder(backend).time(time).threads(new CallerThreads() {
            @Override
            public boolean blockingForbidden() {
                return false;
            }

            @Override
            public Executor here() {
                return RejectingExecutorTest.this::lead;
            }

            @Override
            public Executor workers() {
                return Runnable::run;
            }

            @Override
            public boolean workersNeverRunOut() {
                return true;
            }
        }).start();
    }
}
