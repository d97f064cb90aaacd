package io.quarkiverse.lock.engine;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * One subscription to a {@link LockedUni}: first the wait, then the body, then the release, then the result. It ends once: with
 * the body, with the loss of the lock, or with the subscriber's cancellation.
 */
final class LockedPipeline<T> implements UniSubscription {

    private enum Stage {
        WAITING,
        BODY,
        ENDED
    }

    private final LockEngine engine;
    private final Function<Hold, Uni<T>> body;
    private final boolean skipIfBusy;
    private final UniSubscriber<? super T> downstream;
    private final Executor here;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private volatile @Nullable UniSubscription wait;
    private volatile @Nullable UniSubscription upstream;
    private volatile @Nullable LossGuard guard;
    private final AtomicBoolean left = new AtomicBoolean();
    private volatile boolean cancelled;
    private Hold hold;

    LockedPipeline(LockEngine engine, Function<Hold, Uni<T>> body, boolean skipIfBusy,
            UniSubscriber<? super T> downstream) {
        this.engine = engine;
        this.body = body;
        this.skipIfBusy = skipIfBusy;
        this.downstream = downstream;
        this.here = engine.threads().here();
    }

    /** What sits inside a transaction in the body and can make it fail from there. */
    interface LossGuard {

        /** {@code false} if it has ended already. */
        boolean fail(Throwable failure);
    }

    void start(HoldUni lock) {
        downstream.onSubscribe(this);
        AbstractUni.subscribe(lock, new Wait());
    }

    Hold hold() {
        return hold;
    }

    void guardedBy(LossGuard inner) {
        guard = inner;
    }

    boolean failsOnLoss() {
        return hold.failsOnLoss();
    }

    // --- the three ways to end

    private void bodyEnded(@Nullable T item, @Nullable Throwable failure) {
        if (!stage.compareAndSet(Stage.BODY, Stage.ENDED)) {
            leaveQuietly(); // cancelled or lost before the body could be told
        } else {
            boolean lost = hold.lostForGood();
            if (failure != null) {
                suppress(failure, lost ? hold.loss() : null);
                end(null, failure);
            } else if (lost && failsOnLoss()) {
                end(null, hold.loss());
            } else {
                end(item, null);
            }
        }
    }

    private void lost() {
        LossGuard inner = guard;
        if (inner != null && inner.fail(hold.loss())) {
            return; // the failure comes back as the body's
        }
        if (stage.compareAndSet(Stage.BODY, Stage.ENDED)) {
            UniSubscription current = upstream;
            if (current != null) {
                current.cancel();
            }
            here.execute(() -> end(null, hold.loss()));
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        LossGuard inner = guard;
        if (inner != null && inner.fail(new CancellationException("The caller cancelled"))) {
            return; // what is around the guard ends with that failure, then the lock is released
        }
        if (stage.compareAndSet(Stage.WAITING, Stage.ENDED)) {
            UniSubscription waiting = wait;
            if (waiting != null) {
                waiting.cancel();
            }
        } else if (stage.compareAndSet(Stage.BODY, Stage.ENDED)) {
            UniSubscription current = upstream;
            if (current != null) { // else the body is just about to be subscribed to, and hears of it then
                current.cancel();
                leaveQuietly();
            }
        }
    }

    private void leaveQuietly() {
        leave().subscribe().with(ignored -> {
        }, failure -> {
            // logged and tried again where it failed
        });
    }

    private Uni<Void> leave() {
        return left.compareAndSet(false, true) ? hold.leave() : Nothing.UNI;
    }

    private void end(@Nullable T item, @Nullable Throwable failure) {
        Uni<Void> release = leave();
        if (release == Nothing.UNI) {
            emit(item, failure, null);
            return;
        }
        release.subscribe().with(
                ignored -> here.execute(() -> emit(item, failure, null)),
                releaseFailure -> here.execute(() -> emit(item, failure, releaseFailure)));
    }

    private void emit(@Nullable T item, @Nullable Throwable failure, @Nullable Throwable releaseFailure) {
        if (cancelled) {
            return;
        }
        if (failure != null) {
            suppress(failure, releaseFailure);
            downstream.onFailure(failure);
        } else {
            downstream.onItem(item);
        }
    }

    private static void suppress(Throwable primary, @Nullable Throwable other) {
        if (other != null && other != primary) {
            primary.addSuppressed(other);
        }
    }

    // --- what it listens to

    private final class Wait implements UniSubscriber<Hold> {

        @Override
        public Context context() {
            return downstream.context();
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            wait = subscription;
            if (stage.get() == Stage.ENDED) {
                subscription.cancel();
            }
        }

        @Override
        public void onItem(Hold granted) {
            hold = granted;
            if (!stage.compareAndSet(Stage.WAITING, Stage.BODY)) {
                return; // cancelled, and the cancellation of the wait gives the hold back
            }
            if (failsOnLoss()) {
                granted.lost().thenRun(LockedPipeline.this::lost);
            }
            Uni<T> made;
            try {
                made = body.apply(granted);
            } catch (Throwable failure) {
                bodyEnded(null, failure);
                return;
            }
            if (made == null) {
                bodyEnded(null, new NullPointerException("The body of lock '" + granted.name() + "' returned no Uni"));
                return;
            }
            AbstractUni.subscribe(made, new Body(Pipelines.inside(downstream.context(), LockedPipeline.this, granted)));
        }

        @Override
        public void onFailure(Throwable failure) {
            if (stage.compareAndSet(Stage.WAITING, Stage.ENDED)) {
                if (skipIfBusy && failure instanceof LockBusyException) {
                    downstream.onItem(null);
                } else {
                    downstream.onFailure(failure);
                }
            }
        }
    }

    private final class Body implements UniSubscriber<T> {

        private final Context inside;

        Body(Context inside) {
            this.inside = inside;
        }

        @Override
        public Context context() {
            return inside;
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            upstream = subscription;
            if (stage.get() == Stage.ENDED) {
                subscription.cancel(); // lost or cancelled before the body had begun
                leaveQuietly();
            }
        }

        @Override
        public void onItem(T item) {
            bodyEnded(item, null);
        }

        @Override
        public void onFailure(Throwable failure) {
            bodyEnded(null, failure);
        }
    }
}
