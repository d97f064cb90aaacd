package io.quarkiverse.lock.engine;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

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
final class LockedPipeline<T> implements UniSubscription, Pipelines.Running {

    private enum Stage {
        WAITING,
        BODY,
        ENDED
    }

    private final LockEngine engine;
    private final Pipelines.Body<T> body;
    private final boolean skipIfBusy;
    private final UniSubscriber<? super T> downstream;
    private final Executor here;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private volatile @Nullable UniSubscription wait;
    private volatile @Nullable UniSubscription upstream;
    private volatile @Nullable LossGuard guard;
    /** Of the same call, for another of its locks. */
    private volatile @Nullable LockedPipeline<?> around;
    /** Why the body has to end before its time. Written before, and read after, what sits in the body makes itself known. */
    private volatile @Nullable Throwable stop;
    private final AtomicBoolean left = new AtomicBoolean();
    private volatile boolean cancelled;
    private Hold hold;
    private Context inside;

    LockedPipeline(LockEngine engine, Pipelines.Body<T> body, boolean skipIfBusy,
            UniSubscriber<? super T> downstream) {
        this.engine = engine;
        this.body = body;
        this.skipIfBusy = skipIfBusy;
        this.downstream = downstream;
        this.here = engine.threads().here();
    }

    /**
     * What sits inside a transaction in the body and can make it fail from there. Once it is there the pipeline ends with what
     * is around the guard and never before: a commit that is under way keeps its lock.
     */
    interface LossGuard {

        /** Does nothing if it has ended already, or not yet begun: it looks for {@link #stop} when it begins. */
        void fail(Throwable failure);
    }

    void start(HoldUni lock) {
        downstream.onSubscribe(this);
        AbstractUni.subscribe(lock, new Wait());
    }

    Hold hold() {
        return hold;
    }

    /** What the body's subscribers see. */
    Context inside() {
        return inside;
    }

    @Override
    public Pipelines.Running within(Pipelines.Running around) {
        this.around = (LockedPipeline<?>) around;
        return this;
    }

    void guardedBy(LossGuard inner) {
        guard = inner;
        LockedPipeline<?> outer = around;
        if (outer != null) {
            outer.guardedBy(inner);
            Throwable reason = outer.stop();
            if (reason != null && stop == null) {
                stop = reason;
            }
        }
    }

    @Nullable
    Throwable stop() {
        return stop;
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
        stop(hold.loss());
    }

    @Override
    public void cancel() {
        cancelled = true;
        if (!stage.compareAndSet(Stage.WAITING, Stage.ENDED)) {
            stop(new CancellationException("The caller cancelled"));
            return;
        }
        UniSubscription waiting = wait;
        if (waiting != null) {
            waiting.cancel();
        }
    }

    private void stop(Throwable reason) {
        stop = reason;
        LossGuard inner = guard;
        if (inner != null) {
            here.execute(() -> inner.fail(reason)); // a rollback belongs where the body was
            return;
        }
        UniSubscription current = upstream;
        if (current == null) {
            return; // the body is just being made, and will look for the reason
        }
        if (stage.compareAndSet(Stage.BODY, Stage.ENDED)) {
            current.cancel();
            if (cancelled) {
                leaveQuietly();
            } else {
                here.execute(() -> end(null, reason));
            }
        }
    }

    private void leaveQuietly() {
        leave(); // what fails is logged and tried again where it failed
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
            inside = Pipelines.inside(downstream.context(), LockedPipeline.this, granted);
            if (failsOnLoss()) {
                granted.lost().thenRun(LockedPipeline.this::lost);
            }
            Uni<T> made;
            try {
                made = body.under(granted, LockedPipeline.this);
            } catch (Throwable failure) {
                bodyEnded(null, failure);
                return;
            }
            if (made == null) {
                bodyEnded(null, new NullPointerException("The body of lock '" + granted.name() + "' returned no Uni"));
                return;
            }
            AbstractUni.subscribe(made, new Body());
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

        @Override
        public Context context() {
            return inside;
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            upstream = subscription;
            Throwable reason = stop;
            if (reason != null && guard == null) {
                stop(reason);
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
