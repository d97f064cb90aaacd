package io.quarkiverse.lock.runtime.manager;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.BlockingOperationNotAllowedException;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;

/** Callers in Quarkus: event loops with a Vert.x context for each request, workers with or without one, virtual threads. */
final class QuarkusCallerThreads implements CallerThreads {

    private final @Nullable Tracing tracing;
    // Not static: an executor cannot be part of a native image
    private final AnyWorker anyWorker = new AnyWorker(Runnable::run);

    QuarkusCallerThreads(@Nullable Tracing tracing) {
        this.tracing = tracing;
    }

    @Override
    public boolean blockingForbidden() {
        return !BlockingOperationControl.isBlockingAllowed();
    }

    @Override
    public RuntimeException blockingRefused(String message) {
        return new BlockingOperationNotAllowedException(message);
    }

    /**
     * A caller that may block is led back to a thread that may block: a transaction does not start on an event loop. In either
     * case its Vert.x context, with everything that belongs to the request, becomes current again. A caller without a context
     * still has none afterwards, but keeps its tracing context.
     */
    @Override
    public Executor here() {
        Context context = Vertx.currentContext();
        if (context == null) {
            return tracing == null ? anyWorker : new AnyWorker(tracing.keepingContext(Runnable::run));
        }
        if (blockingForbidden()) {
            return new Executor() {
                @Override
                public void execute(Runnable task) {
                    context.runOnContext(ignored -> task.run());
                }
            };
        }
        return new WorkerOf((ContextInternal) context);
    }

    /** Each request has a Vert.x context of its own. */
    @Override
    public Object work() {
        Context context = Vertx.currentContext();
        return context == null ? CallerThreads.super.work() : context;
    }

    @Override
    public Executor workers() {
        return Infrastructure.getDefaultExecutor();
    }

    @Override
    public Executor onAnyThread(Executor here) {
        return here instanceof AnyWorker worker ? worker.anyThread
                : here instanceof WorkerOf worker ? worker::onThisThread : here;
    }

    /**
     * The place of a caller that may block, such as a request's.
     *
     * @param context the caller's
     */
    record WorkerOf(ContextInternal context) implements Executor {

        @Override
        public void execute(Runnable task) {
            context.executeBlocking(() -> {
                task.run();
                return null;
            }, false);
        }

        private void onThisThread(Runnable task) {
            ContextInternal before = context.beginDispatch();
            try {
                task.run();
            } finally {
                context.endDispatch(before);
            }
        }
    }

    /**
     * The place of a caller without a Vert.x context. The executor propagates the submitter's context, perhaps that of the
     * request that released the lock, which must not reach the next caller.
     *
     * @param anyThread runs its tasks on the current thread, with the tracing context
     */
    record AnyWorker(Executor anyThread) implements Executor {

        @Override
        public void execute(Runnable task) {
            Infrastructure.getDefaultExecutor().execute(() -> withoutContext(task));
        }

        private void withoutContext(Runnable task) {
            ContextInternal theirs = (ContextInternal) Vertx.currentContext();
            if (theirs == null) {
                anyThread.execute(task);
                return;
            }
            theirs.endDispatch(null);
            try {
                anyThread.execute(task);
            } finally {
                theirs.beginDispatch();
            }
        }
    }
}
