package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Context;

/**
 * Sits inside a transaction in the body of a locked pipeline and can make it fail from there. Once it is in place, the pipeline
 * ends with what is around the guard and never earlier: a commit under way keeps its lock. The guard ends once: with the body,
 * with the reason the pipeline must stop, or with the cancellation of what is around it.
 */
abstract class LossGuard {

    private final LockedPipeline<?> pipeline;
    private final Context context;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean begun;

    LossGuard(LockedPipeline<?> pipeline, Context context) {
        this.pipeline = pipeline;
        this.context = context;
    }

    /** The context of its body. */
    public final Context context() {
        return context;
    }

    /** Registers with the pipeline, which makes the guard fail from now on, as soon as it has begun. */
    final void comeBetween() {
        pipeline.guardedBy(this);
    }

    final boolean begun() {
        return begun;
    }

    /** Both sides know the guard now. */
    final void begin() {
        begun = true;
        Throwable stop = pipeline.stop();
        if (stop != null) {
            fail(stop);
        }
    }

    final boolean ended() {
        return ended.get();
    }

    /** {@code false} if it had already ended. */
    final boolean end() {
        return ended.compareAndSet(false, true);
    }

    /** The body has ended normally. Until its doubts are settled, the guard can still fail, or be cancelled. */
    final void settleDoubts(Runnable then) {
        pipeline.settleDoubts(() -> {
            if (end()) {
                then.run();
            }
        });
    }

    /** Like {@link LockedPipeline#lossNow}. */
    final @Nullable Throwable lossNow() {
        return pipeline.lossNow();
    }

    /** Does nothing if it has already ended, or not yet begun: it looks for the reason to stop when it begins. */
    final void fail(Throwable failure) {
        if (begun && end()) {
            cancelBody();
            failed(failure);
        }
    }

    public final void cancel() {
        if (end()) {
            cancelBody();
        }
    }

    abstract void cancelBody();

    /** Passes the failure to what is around it. */
    abstract void failed(Throwable failure);
}
