package io.quarkiverse.lock.engine;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Uni;

/**
 * {@code CompletionStage}s under a lock. The lock is held until the stage completes; its scope, in which code re-enters, is the
 * synchronous part that makes the stage.
 */
public final class Stages {

    private Stages() {
    }

    /**
     * Runs {@code body} under a hold of which the caller is a user, and leaves the hold when the stage has completed.
     *
     * @return completes after the release; with the loss as soon as the lock is lost, if that counts as failure
     */
    public static <T> CompletionStage<T> run(LockEngine engine, Hold hold, Callable<CompletionStage<T>> body) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (hold.failsOnLoss()) {
            hold.lost().thenAccept(result::completeExceptionally);
        }
        CompletionStage<T> stage;
        try {
            stage = engine.scopes().within(hold, body);
        } catch (Throwable failure) {
            end(hold, result, null, failure);
            return result;
        }
        if (stage == null) {
            end(hold, result, null, null);
            return result;
        }
        stage.whenComplete((item, failure) -> end(hold, result, item, failure));
        return result;
    }

    private static <T> void end(Hold hold, CompletableFuture<T> result, @Nullable T item, @Nullable Throwable failure) {
        boolean lost = hold.lostForGood() && hold.failsOnLoss();
        Throwable primary = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        Throwable outcome = primary != null ? primary : lost ? hold.loss() : null;
        Uni<Void> release = hold.leave();
        release.subscribe().with(ignored -> complete(result, item, outcome), releaseFailure -> {
            if (outcome != null && outcome != releaseFailure) {
                outcome.addSuppressed(releaseFailure);
            }
            complete(result, item, outcome);
        });
    }

    private static <T> void complete(CompletableFuture<T> result, @Nullable T item, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(item);
        } else {
            result.completeExceptionally(failure);
        }
    }

    /**
     * Fails as soon as the lock is lost, for what sits inside a transaction; a result without a valid lock is a failure too.
     */
    public static <T> CompletionStage<T> failingInside(Hold hold, CompletionStage<T> body) {
        CompletableFuture<T> inside = new CompletableFuture<>();
        hold.lost().thenAccept(inside::completeExceptionally);
        body.whenComplete((item, failure) -> complete(inside, item,
                failure != null ? failure : hold.valid() ? null : hold.loss()));
        return inside;
    }

    /** The hold without blocking, for callers on an event loop; empty if busy. */
    public static CompletionStage<Hold> acquire(LockEngine engine, String name, HoldSettings settings) {
        return new HoldUni(engine, name, settings, null).subscribeAsCompletionStage();
    }
}
