package io.quarkiverse.lock.engine.reactive;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Context;

/**
 * What sits inside a transaction in the body of a locked pipeline and can make it fail from there. Once it is there the
 * pipeline
 * ends with what is around the guard and never before: a commit that is under way keeps its lock. It ends once: with the body,
 * with why the pipeline has to stop, or with the cancellation of what is around it.
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

    /** What its body sees. */
    public final Context context() {
        return context;
    }

    /** It is what the pipeline makes fail from here on, as soon as it has begun. */
    final void comeBetween() {
        pipeline.guardedBy(this);
    }

    final boolean begun() {
        return begun;
    }

    /** Both sides know it. */
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

    /** {@code false} if it has ended before. */
    final boolean end() {
        return ended.compareAndSet(false, true);
    }

    /** As {@link LockedPipeline#lossNow}. */
    final @Nullable Throwable lossNow() {
        return pipeline.lossNow();
    }

    /** Does nothing if it has ended already, or not yet begun: it looks for the reason to stop when it begins. */
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

    /** Tells what is around it. */
    abstract void failed(Throwable failure);
}
