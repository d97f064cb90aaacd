package io.quarkiverse.lock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** The answer to a release that has been sent; any number of subscribers, now or later, and none of them can stop it. */
final class PendingRelease extends AbstractUni<Void> {

    private final CompletableFuture<Void> answer = new CompletableFuture<>();

    void complete(@Nullable Throwable failure) {
        if (failure == null) {
            answer.complete(null);
        } else {
            answer.completeExceptionally(failure);
        }
    }

    /** Ends as another release does: at once, if that is {@link Nothing}. */
    void follow(Uni<Void> release) {
        if (release instanceof PendingRelease pending) {
            pending.answer.whenComplete((nothing, failure) -> complete(failure));
        } else {
            complete(null);
        }
    }

    @Override
    public void subscribe(UniSubscriber<? super Void> subscriber) {
        Subscription subscription = new Subscription();
        subscriber.onSubscribe(subscription);
        answer.whenComplete((nothing, failure) -> {
            if (subscription.cancelled) {
                return;
            }
            if (failure == null) {
                subscriber.onItem(null);
            } else {
                subscriber.onFailure(failure);
            }
        });
    }

    static boolean isDone(Uni<Void> release) {
        return !(release instanceof PendingRelease pending) || pending.answer.isDone();
    }

    private static final class Subscription implements UniSubscription {

        private volatile boolean cancelled;

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
