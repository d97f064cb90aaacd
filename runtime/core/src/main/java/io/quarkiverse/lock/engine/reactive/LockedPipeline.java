package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.acquire.CallerRuns;
import io.quarkiverse.lock.engine.acquire.PipelineHolds;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LossNews;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * One subscription to something that runs under a lock: the wait, the body, the release, and the end, in this order. It ends
 * once: with the body, with the loss of the lock, or with the subscriber's cancellation.
 *
 * @param <B> the body
 */
public abstract sealed class LockedPipeline<B> implements Pipelines.Running, LossNews.Listener
        permits UniPipeline, MultiPipeline {

    private enum Stage {
        WAITING,
        BODY,
        ENDED
    }

    private final CallerThreads threads;
    private final PipelineHolds contexts;
    private final Validity validity;
    private final HoldNotifier notifier;
    private final HandOver handOver;
    private final Executor here;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private volatile @Nullable UniSubscription wait;
    private volatile @Nullable LossGuard guard;
    /** Why the body must stop early. Written before, and read after, the guard inside the body registers itself. */
    private volatile @Nullable Throwable stop;
    /** The body may end by itself, and asks at its end whether it should have stopped. Never reset. */
    private volatile boolean patient;
    private final AtomicBoolean left = new AtomicBoolean();
    private volatile boolean cancelled;
    private Held held;
    private Context inside;
    /** What {@link #inside} was copied from. */
    private Context before;
    private UnaryOperator<Throwable> toldAs = UnaryOperator.identity();

    LockedPipeline(CallerThreads threads, PipelineHolds contexts, Validity validity, HoldNotifier notifier,
            HandOver handOver) {
        this.threads = threads;
        this.contexts = contexts;
        this.validity = validity;
        this.notifier = notifier;
        this.handOver = handOver;
        this.here = threads.here();
    }

    final void waitFor(AbstractUni<? extends Held> lock) {
        AbstractUni.subscribe(lock, new Wait());
    }

    @Override
    public final Held held() {
        return held;
    }

    @Override
    public final void tellFailuresAs(UnaryOperator<Throwable> told) {
        toldAs = told;
    }

    /** The context of the body's subscribers. */
    final Context inside() {
        return inside;
    }

    final void guardedBy(LossGuard inner) {
        guard = inner;
    }

    @Override
    public final void beginPatientBody() {
        patient = true;
    }

    /** Whether the body is left to end by itself, whatever happens meanwhile. */
    boolean endsByItself() {
        return patient;
    }

    /** Why a patient body must not begin; {@code null} if it may. */
    final @Nullable Throwable stopAtBeginning() {
        Throwable reason = stop;
        return reason != null ? reason : validity.lossForGood(held, true);
    }

    /** Why a patient body must fail at its end; {@code null} if it need not. Doubts must have been settled. */
    final @Nullable Throwable stopAtEnd() {
        Throwable reason = stop;
        return reason != null ? reason : lossNow();
    }

    /** Only for a patient body: others do not ask at their end, and end normally. */
    final void failAtEnd(LockLostException loss) {
        if (patient && stop == null) {
            stop = loss;
        }
    }

    final @Nullable Throwable stop() {
        return stop;
    }

    /** Like {@link Doubts#settle}. */
    final void settleDoubts(Runnable then) {
        Doubts.settle(held, validity, threads, then);
    }

    /** Whether {@link #settleDoubts} would have to ask. */
    final boolean inDoubt() {
        return !validity.unconfirmed(held).isEmpty();
    }

    /** Like {@link Validity#failingNow}. */
    final @Nullable Throwable lossNow() {
        return validity.failingNow(held);
    }

    final boolean cancelled() {
        return cancelled;
    }

    // --- differences between Uni and Multi

    /** The context of its own subscriber. */
    abstract Context outside();

    abstract @Nullable B make(Held granted);

    abstract void subscribeTo(B made);

    /** Whether the body can already be cancelled. */
    abstract boolean begun();

    abstract void cancelBody();

    /** The wait has ended without the lock. */
    abstract void refused(Throwable failure);

    /** The lock has been given back. */
    abstract void ended(@Nullable Throwable failure);

    /** Whether the guard inside a transaction in the body must fail, instead of the body being cancelled. */
    boolean failsFromWithin() {
        return guard != null;
    }

    final boolean guarded() {
        return guard != null;
    }

    private void begin(Held granted) {
        Held before = contexts.begins(granted);
        try {
            beginBody(granted);
        } finally {
            contexts.begins(before);
        }
    }

    private void beginBody(Held granted) {
        LockedPipeline<?> around = Pipelines.innermost(before);
        if (around != null && around.patient) {
            patient = true; // its content cannot be cancelled from further inside either
        }
        B made;
        try {
            made = make(granted);
        } catch (Throwable failure) {
            bodyEnded(failure);
            return;
        }
        if (made == null) {
            bodyEnded(new NullPointerException("The body of lock '" + PrintableName.of(granted.name()) + "' returned null"));
            return;
        }
        try {
            subscribeTo(made);
        } catch (RuntimeException | Error failure) { // a missing class, or out of memory
            notSubscribed(failure);
        }
    }

    // --- the three ways to end

    final void bodyEnded(@Nullable Throwable failure) {
        if (!stage.compareAndSet(Stage.BODY, Stage.ENDED)) {
            leaveQuietly(); // cancelled or lost before the body could be told
            return;
        }
        if (failure != null) {
            end(BodyFailure.withLoss(toldAs.apply(failure), held, validity, patient));
        } else {
            end(validity.lossForGood(held, true));
        }
    }

    /** Once the pipeline has ended, a failure can only be thrown on this thread. */
    private void notSubscribed(Throwable failure) {
        if (stage.get() != Stage.ENDED) {
            bodyEnded(failure);
        } else if (failure instanceof Error error) {
            throw error;
        } else {
            throw (RuntimeException) failure;
        }
    }

    /** Never waits for a worker that may be waiting for the lock: the news thread is as good as any worker. */
    @Override
    public final void lost(LockLostException loss) {
        stop(loss, threads.onAnyThread(here));
    }

    public final void cancel() {
        cancelled = true;
        if (!stage.compareAndSet(Stage.WAITING, Stage.ENDED)) {
            stop(new CancellationException("The caller cancelled"), here);
            return;
        }
        UniSubscription waiting = wait;
        if (waiting != null) {
            waiting.cancel();
        }
    }

    private void stop(Throwable reason, Executor stopping) {
        stop = reason;
        if (endsByItself()) {
            return;
        }
        LossGuard inner = guard;
        if (inner != null && failsFromWithin()) {
            CallerRuns.run(stopping, () -> inner.fail(reason)); // a rollback belongs where the body was
            return;
        }
        if (!begun() || endsByItself()) { // it may have become patient just now
            return; // the body is being created right now, and will look for the reason
        }
        if (cancelled) {
            endBody(reason, here);
            return;
        }
        CallerRuns.run(stopping, () -> stopHere(reason)); // what the body has opened is closed where it was opened
    }

    /** Meanwhile the body may have ended, or acquired a guard. */
    private void stopHere(Throwable reason) {
        if (!endsByItself()) {
            endNow(reason);
        }
    }

    private void endNow(Throwable reason) {
        LossGuard inner = guard;
        if (inner != null && failsFromWithin()) {
            inner.fail(reason);
        } else {
            endBody(reason, Runnable::run);
        }
    }

    private void endBody(Throwable reason, Executor ending) {
        if (stage.compareAndSet(Stage.BODY, Stage.ENDED)) {
            try {
                cancelBody();
            } finally {
                if (cancelled) {
                    leaveQuietly();
                } else {
                    CallerRuns.run(ending, () -> end(reason));
                }
            }
        }
    }

    /** Must be called once the body can be cancelled: the reason to stop may have come earlier. */
    final void lookForStop() {
        Throwable reason = stop;
        if (reason != null && !endsByItself() && !failsFromWithin()) {
            endBody(reason, here);
        }
    }

    /** Where a subscriber, too, may take no more items: even a patient body can be stopped there. */
    final void endBetweenItems() {
        endNow(stop);
    }

    private void leaveQuietly() {
        leave(); // failures are logged and retried where they occur
    }

    private Uni<Void> leave() {
        if (!left.compareAndSet(false, true)) {
            return Nothing.UNI;
        }
        HoldNotifier.unwatch(held, this);
        return handOver.leave(held);
    }

    private void end(@Nullable Throwable failure) {
        Uni<Void> release = leave();
        if (release == Nothing.UNI) {
            tell(failure, null);
            return;
        }
        release.subscribe().with(
                ignored -> CallerRuns.run(here, () -> tell(failure, null)),
                releaseFailure -> CallerRuns.run(here, () -> tell(failure, releaseFailure)));
    }

    private void tell(@Nullable Throwable failure, @Nullable Throwable releaseFailure) {
        if (cancelled) {
            return;
        }
        PipelineHolds.bringOut(inside, before, outside());
        if (failure == null) {
            ended(validity.lossForGood(held, true)); // the release may have found a loss
        } else {
            suppress(failure, releaseFailure);
            ended(failure);
        }
    }

    static void suppress(Throwable primary, @Nullable Throwable other) {
        if (other != null && other != primary) {
            primary.addSuppressed(other);
        }
    }

    // --- the wait

    private final class Wait implements UniSubscriber<Held> {

        @Override
        public Context context() {
            return outside();
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            wait = subscription;
            if (stage.get() == Stage.ENDED) {
                subscription.cancel();
            }
        }

        @Override
        public void onItem(Held granted) {
            held = granted;
            if (!stage.compareAndSet(Stage.WAITING, Stage.BODY)) {
                return; // cancelled; cancelling the wait gives the hold back
            }
            before = PipelineHolds.copy(outside());
            inside = contexts.with(before, granted).put(Pipelines.INNERMOST, LockedPipeline.this);
            notifier.watch(granted, LockedPipeline.this);
            begin(granted);
        }

        @Override
        public void onFailure(Throwable failure) {
            if (stage.compareAndSet(Stage.WAITING, Stage.ENDED)) {
                refused(failure);
            }
        }
    }
}
