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

/** Reactive code under a lock; its nesting is {@link PipelineHolds}' matter. */
public final class Pipelines {

    static final String INNERMOST = "io.quarkiverse.lock.pipeline";

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

        /** What it runs under; not before it has been granted. */
        Held held();

        /** To be called before the body is made: what a failure of the body is told as. */
        void tellFailuresAs(UnaryOperator<Throwable> told);

        /**
         * To be called before the body is made if it cannot be cancelled, because what it has begun would be left half done. It
         * ends by itself then, also when the lock is lost or the caller cancels; see {@link #failingAtEnd}.
         */
        void beginPatientBody();
    }

    /** Makes what is to run under a lock. */
    @FunctionalInterface
    public interface Body<T> {

        /** @param pipeline for {@link #failingInside} */
        Uni<T> under(Held held, Running pipeline);
    }

    /** As {@link Body}, of many items. */
    @FunctionalInterface
    public interface MultiBody<T> {

        /** @param pipeline for {@link #failingInside} */
        Multi<T> under(Held held, Running pipeline);
    }

    /**
     * Holds the locks while the {@code Uni} that {@code body} makes runs: all of them, or none; anew for each subscription.
     *
     * @param names in canonical order, see {@code NamesInOrder}
     * @param known for each name a hold to run under if it is still live, or {@code null} to find or make one
     */
    public <T> Uni<T> locked(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known, Body<T> body) {
        AbstractUni<Held> lock = acquire.of(names, settings, known);
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super T> subscriber) {
                new UniPipeline<>(threads, contexts, validity, notifier, handOver, body, subscriber).start(lock);
            }
        };
    }

    /**
     * {@link #locked}, from the subscription to the end of the {@code Multi} that {@code body} makes, or to its cancellation.
     */
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
     * For what must fail from within when the lock of the enclosing pipeline is lost, or the caller cancels: a transaction
     * around {@code body} then sees a failure and rolls back, where a mere cancellation would leave it open.
     *
     * @param body {@code null} stays {@code null}, which ends a transaction around it as any other result does
     * @param pipeline whose body has this one inside, if that is known. What is between the two may subscribe without the
     *        pipeline's {@link Context}, as JTA's transactions do; inside it is there again
     */
    public static <T> @Nullable Uni<T> failingInside(@Nullable Uni<T> body, @Nullable Running pipeline) {
        return body == null ? null : new LossGuardUni<>(body, (LockedPipeline<?>) pipeline);
    }

    /**
     * {@link #failingInside(Uni, Running)}, for many items. A cancellation goes through, as long as the lock is there: it is an
     * ordinary end.
     */
    public static <T> @Nullable Multi<T> failingInside(@Nullable Multi<T> body, @Nullable Running pipeline) {
        return body == null ? null : new LossGuardMulti<>(body, (LockedPipeline<?>) pipeline);
    }

    /**
     * For what begins a transaction around {@code body} that can only be rolled back between its statements. When the lock of
     * the enclosing pipeline has been lost, or the caller has cancelled, the transaction sees a failure instead of what
     * {@code body} ends with; or before there is a body, if it was so already.
     *
     * @param written what the transaction has still to write when the body has ended: the lock is looked at after that
     * @param pipeline whose {@linkplain Running#beginPatientBody patient body} has this one inside
     */
    public static <T> Uni<T> failingAtEnd(Supplier<Uni<T>> body, Supplier<Uni<Void>> written, Running pipeline) {
        LockedPipeline<?> known = (LockedPipeline<?>) pipeline;
        return Uni.createFrom().context(context -> {
            LockedPipeline<?> brought = innermost(context);
            LockedPipeline<?> asked = brought == null ? known : brought;
            Throwable before = asked.stopAtEnd();
            return before != null ? Uni.createFrom().failure(before)
                    : body.get().call(() -> written.get()).chain(item -> unlessStopped(asked, item));
        });
    }

    private static <T> Uni<T> unlessStopped(LockedPipeline<?> pipeline, T item) {
        Throwable reason = pipeline.stopAtEnd();
        return reason != null ? Uni.createFrom().failure(reason) : Uni.createFrom().item(item);
    }

    /**
     * What has been done in this context was done without the lock that it needed: the transactions of the pipelines around
     * see this failure at their end, as if the lost lock were their own.
     */
    public static void failAround(Context context, LockLostException loss) {
        for (LockedPipeline<?> around = innermost(context); around != null; around = innermost(around.outside())) {
            around.failAtEnd(loss);
        }
    }

    /** The hold in whose pipeline this context is, the innermost of them. */
    public static @Nullable LockHold innermostHold(Context context) {
        LockedPipeline<?> pipeline = innermost(context);
        return pipeline == null ? null : pipeline.held().get(pipeline.held().size() - 1);
    }

    static @Nullable LockedPipeline<?> innermost(Context context) {
        return context.getOrElse(INNERMOST, () -> null);
    }
}
