package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.AsyncAcquire;
import io.quarkiverse.lock.engine.acquire.CallerRuns;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.LossNews;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.smallrye.mutiny.Uni;

/**
 * {@code CompletionStage}s under a lock. The lock is held until the stage completes; its scope, in which code may re-enter, is
 * the synchronous part that creates the stage.
 */
public final class Stages {

    private final CallerThreads threads;
    private final Scopes scopes;
    private final AsyncAcquire acquire;
    private final Validity validity;
    private final HoldNotifier notifier;
    private final HandOver handOver;
    private final @Nullable LockOrders orders;

    public Stages(CallerThreads threads, Scopes scopes, AsyncAcquire acquire, Validity validity, HoldNotifier notifier,
            HandOver handOver, @Nullable LockOrders orders) {
        this.threads = threads;
        this.scopes = scopes;
        this.acquire = acquire;
        this.validity = validity;
        this.notifier = notifier;
        this.handOver = handOver;
        this.orders = orders;
    }

    /**
     * Runs {@code body} under holds that the caller uses, and leaves them when the stage has completed.
     *
     * @param check of the stage's item
     * @return completes after the release, where the caller is now; with the loss as soon as one is lost, if that counts as
     *         failure
     */
    public <T> CompletionStage<T> run(Held held, Callable<CompletionStage<T>> body, ItemCheck check) {
        Running<T> running = new Running<>(held, false);
        notifier.watch(held, running.lost);
        return run(running, body, check);
    }

    /** {@link #run} for a body that must not be left half done: a loss, too, is told at its end. */
    public <T> CompletionStage<T> runPatiently(Held held, Callable<CompletionStage<T>> body, ItemCheck check) {
        return run(new Running<>(held, true), body, check);
    }

    private <T> CompletionStage<T> run(Running<T> running, Callable<CompletionStage<T>> body, ItemCheck check) {
        CompletionStage<T> stage;
        try {
            stage = scopes.within(running.held, body);
        } catch (Throwable failure) {
            running.end(null, failure);
            return running.result;
        }
        if (stage == null) {
            running.end(null, null);
            return running.result;
        }
        stage.whenComplete((item, failure) -> running.end(item, failure != null ? failure : check.problem(item)));
        return running.result;
    }

    /** One stage under a lock. */
    private final class Running<T> {

        private final Held held;
        private final boolean patient;
        private final Executor here = threads.here();
        final CompletableFuture<T> result = new CompletableFuture<>();
        private final LossNews.Listener lost = failing(result, here);

        Running(Held held, boolean patient) {
            this.held = held;
            this.patient = patient;
            if (orders != null) {
                orders.outliveThread(held);
            }
        }

        void end(@Nullable T item, @Nullable Throwable failure) {
            HoldNotifier.unwatch(held, lost);
            Throwable primary = unwrapped(failure);
            Throwable outcome = primary != null ? BodyFailure.withLoss(primary, held, validity, patient)
                    : validity.lossForGood(held, true);
            Uni<Void> release = handOver.leave(held);
            if (release == Nothing.UNI) {
                tell(item, outcome, null);
                return;
            }
            release.subscribe().with(ignored -> CallerRuns.run(here, () -> tell(item, outcome, null)),
                    releaseFailure -> CallerRuns.run(here, () -> tell(item, outcome, releaseFailure)));
        }

        private void tell(@Nullable T item, @Nullable Throwable outcome, @Nullable Throwable releaseFailure) {
            if (outcome != null) {
                LockedPipeline.suppress(outcome, releaseFailure);
            }
            // The release may have found a loss, or coincided with one
            complete(result, item, outcome != null ? outcome : validity.lossForGood(held, true));
        }
    }

    /** The stage fails where a {@code Uni} would: never after waiting for a worker that may be waiting for the lock. */
    private LossNews.Listener failing(CompletableFuture<?> stage, Executor here) {
        return loss -> CallerRuns.run(threads.onAnyThread(here), () -> stage.completeExceptionally(loss));
    }

    /** The failure itself, which a dependent stage of the JDK wraps. */
    private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Completes the result as the stage is completed; it fails with the failure itself, as the stage of a body does. */
    public static <T> CompletionStage<T> unwrapped(CompletionStage<T> stage, CompletableFuture<T> result) {
        stage.whenComplete((item, failure) -> complete(result, item, unwrapped(failure)));
        return result;
    }

    private static <T> void complete(CompletableFuture<T> result, @Nullable T item, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(item);
        } else {
            result.completeExceptionally(failure);
        }
    }

    /**
     * Fails as soon as one of the locks is lost, for code inside a transaction; a result without a valid lock is also a
     * failure.
     */
    public <T> CompletionStage<T> failingInside(Held held, CompletionStage<T> body) {
        CompletableFuture<T> inside = new CompletableFuture<>();
        LossNews.Listener lost = failing(inside, threads.here()); // a rollback belongs where the body was
        notifier.watch(held, lost);
        body.whenComplete((item, failure) -> {
            if (failure != null) {
                HoldNotifier.unwatch(held, lost);
                inside.completeExceptionally(failure);
                return;
            }
            Doubts.settle(held, validity, threads, () -> {
                HoldNotifier.unwatch(held, lost);
                complete(inside, item, validity.failingNow(held));
            });
        });
        return inside;
    }

    /** Takes all of the names without blocking, for callers on an event loop; fails if one is busy. */
    public CompletionStage<Held> acquire(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known) {
        return acquire.of(names, settings, known).subscribeAsCompletionStage();
    }
}
