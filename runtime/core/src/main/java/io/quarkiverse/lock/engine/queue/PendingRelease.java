package io.quarkiverse.lock.engine.queue;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** The answer to a release that has been sent; any number of subscribers, now or later, and none of them can stop it. */
public final class PendingRelease extends AbstractUni<Void> {

    private final CompletableFuture<Void> answer = new CompletableFuture<>();

    void complete(@Nullable Throwable failure) {
        if (failure == null) {
            answer.complete(null);
        } else {
            answer.completeExceptionally(failure);
        }
    }

    /** Ends as another release does: at once, if that is {@link Nothing}. */
    public void follow(Uni<Void> release) {
        if (release == Nothing.UNI) {
            complete(null);
        } else {
            answer(release).whenComplete((nothing, failure) -> complete(failure));
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

    /** Calls back once with what went wrong, or {@code null}: at once, or on the thread that brings the answer. */
    static void whenDone(Uni<Void> release, Consumer<@Nullable Throwable> then) {
        if (release instanceof PendingRelease pending) {
            pending.answer.whenComplete((nothing, failure) -> then.accept(failure));
        } else {
            then.accept(null);
        }
    }

    /** To be waited for. Of this class it is at hand, without what Mutiny's own way of waiting costs. */
    public static CompletableFuture<Void> answer(Uni<Void> release) {
        return release instanceof PendingRelease pending ? pending.answer : release.subscribeAsCompletionStage();
    }

    public static boolean isDone(Uni<Void> release) {
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
