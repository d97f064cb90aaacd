package io.quarkiverse.lock.engine.reactive;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.acquire.AsyncAcquire;
import io.quarkiverse.lock.engine.acquire.PipelineHolds;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Runs reactive code under a lock; {@link PipelineHolds} handles nesting. */
public final class Pipelines {

    static final String INNERMOST = PipelineHolds.OURS + ".pipeline";

    private final CallerThreads threads;
    private final PipelineHolds contexts;
    private final AsyncAcquire acquire;
    private final Validity validity;
    private final HoldNotifier notifier;
    private final HandOver handOver;

    public Pipelines(CallerThreads threads, PipelineHolds contexts, AsyncAcquire acquire,
            Validity validity,
            HoldNotifier notifier, HandOver handOver) {
        this.threads = threads;
        this.contexts = contexts;
        this.acquire = acquire;
        this.validity = validity;
        this.notifier = notifier;
        this.handOver = handOver;
    }

    /** One subscription whose body runs under a lock. */
    public sealed interface Running permits LockedPipeline {

        /** The holds it runs under; only valid after the grant. */
        Held held();

        /** Must be called before the body is created: maps the body's failure to the reported one. */
        void tellFailuresAs(UnaryOperator<Throwable> told);

        /**
         * Must be called before the body is created if the body cannot be cancelled without leaving work half done. It then
         * ends by itself, even when the lock is lost or the caller cancels; see {@link #failingAtEnd}.
         */
        void beginPatientBody();
    }

    /** Creates what runs under a lock. */
    @FunctionalInterface
    public interface Body<T> {

        /** @param pipeline for {@link #failingInside} */
        Uni<T> under(Held held, Running pipeline);
    }

    /** Like {@link Body}, for many items. */
    @FunctionalInterface
    public interface MultiBody<T> {

        /** @param pipeline for {@link #failingInside} */
        Multi<T> under(Held held, Running pipeline);
    }

    /**
     * Holds the locks while the {@code Uni} created by {@code body} runs: all of them, or none; anew for each subscription.
     *
     * @param names in canonical order, see {@code NamesInOrder}
     * @param known for each name a hold to run under if it is still live, or {@code null} to find or create one
     */
    public <T> Uni<T> locked(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known, Body<T> body) {
        return locked(names, settings, known, body, ItemCheck.ANY);
    }

    /** {@link #locked(String[], HoldSettings, LockHold[], Body)}, which fails if its item does not pass the check. */
    public <T> Uni<T> locked(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known, Body<T> body,
            ItemCheck check) {
        AbstractUni<Held> lock = acquire.of(names, settings, known);
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super T> subscriber) {
                new UniPipeline<>(threads, contexts, validity, notifier, handOver, body, check, subscriber).start(lock);
            }
        };
    }

    /** {@link #locked}, from the subscription to the end or cancellation of the {@code Multi} created by {@code body}. */
    public <T> Multi<T> lockedMulti(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known,
            MultiBody<T> body) {
        AbstractUni<Held> lock = acquire.of(names, settings, known);
        return new AbstractMulti<>() {
            @Override
            public void subscribe(MultiSubscriber<? super T> subscriber) {
                new MultiPipeline<>(threads, contexts, validity, notifier, handOver, body, subscriber).start(lock);
            }
        };
    }

    /**
     * For a body that must fail from within when the lock of the enclosing pipeline is lost, or the caller cancels. A
     * transaction around {@code body} then sees a failure and rolls back; a mere cancellation would leave it open.
     *
     * @param body {@code null} stays {@code null}, which ends a transaction around it as any other result does
     * @param pipeline the pipeline whose body encloses this one, if known. Code between the two may subscribe without the
     *        pipeline's {@link Context}, as JTA transactions do; inside, the context is restored
     */
    public static <T> @Nullable Uni<T> failingInside(@Nullable Uni<T> body, @Nullable Running pipeline) {
        return body == null ? null : new LossGuardUni<>(body, (LockedPipeline<?>) pipeline);
    }

    /**
     * {@link #failingInside(Uni, Running)}, for many items. A cancellation passes through while the lock is held: it is an
     * ordinary end.
     */
    public static <T> @Nullable Multi<T> failingInside(@Nullable Multi<T> body, @Nullable Running pipeline) {
        return body == null ? null : new LossGuardMulti<>(body, (LockedPipeline<?>) pipeline);
    }

    /**
     * For a transaction around {@code body} that can only be rolled back between its statements. If the lock of the enclosing
     * pipeline has been lost, or the caller has cancelled, the transaction sees a failure instead of the outcome of
     * {@code body}. If that has happened before, the body is not even created.
     *
     * @param written what the transaction still writes after the body has ended: the lock is checked after that
     * @param pipeline the pipeline whose {@linkplain Running#beginPatientBody patient body} encloses this one
     */
    public static <T> Uni<T> failingAtEnd(Supplier<Uni<T>> body, Supplier<Uni<Void>> written, Running pipeline) {
        LockedPipeline<?> known = (LockedPipeline<?>) pipeline;
        return Uni.createFrom().context(context -> {
            LockedPipeline<?> brought = innermost(context);
            LockedPipeline<?> asked = brought == null ? known : brought;
            Throwable before = asked.stopAtBeginning();
            return before != null ? Uni.createFrom().failure(before)
                    : body.get().call(() -> written.get()).chain(item -> unlessStopped(asked, item));
        });
    }

    private static <T> Uni<T> unlessStopped(LockedPipeline<?> pipeline, T item) {
        return pipeline.inDoubt()
                ? Uni.createFrom().<Void> emitter(asked -> pipeline.settleDoubts(() -> asked.complete(null)))
                        .chain(() -> outcome(pipeline, item))
                : outcome(pipeline, item);
    }

    private static <T> Uni<T> outcome(LockedPipeline<?> pipeline, T item) {
        Throwable reason = pipeline.stopAtEnd();
        return reason == null ? Uni.createFrom().item(item) : Uni.createFrom().failure(reason);
    }

    /**
     * The work in this context was done without the lock it needed: the transactions of the enclosing pipelines see this
     * failure at their end, as if the lost lock were their own.
     */
    public static void failAround(Context context, LockLostException loss) {
        for (LockedPipeline<?> around = innermost(context); around != null; around = innermost(around.outside())) {
            around.failAtEnd(loss);
        }
    }

    /** What the innermost pipeline runs under that contains this context; {@code null} if there is none. */
    public static @Nullable Held innermostHeld(Context context) {
        LockedPipeline<?> pipeline = innermost(context);
        return pipeline == null ? null : pipeline.held();
    }

    static @Nullable LockedPipeline<?> innermost(Context context) {
        return context.getOrElse(INNERMOST, () -> null);
    }
}
