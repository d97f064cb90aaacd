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

/** Callers in Quarkus: event loops with a Vert.x context of each request, workers with or without one, virtual threads. */
final class QuarkusCallerThreads implements CallerThreads {

    private final @Nullable Tracing tracing;

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
     * A caller that may block is led back to a thread that may: a transaction does not start on an event loop. In either case
     * its Vert.x context, with all that belongs to the request, is the current one again; without one, what tracing knows.
     */
    @Override
    public Executor here() {
        Context context = Vertx.currentContext();
        if (context == null) {
            return tracing == null ? workers() : tracing.keepingContext(workers());
        }
        if (blockingForbidden()) {
            return new Executor() {
                @Override
                public void execute(Runnable task) {
                    context.runOnContext(ignored -> task.run());
                }
            };
        }
        return new Executor() {
            @Override
            public void execute(Runnable task) {
                context.executeBlocking(() -> {
                    task.run();
                    return null;
                }, false);
            }
        };
    }

    @Override
    public Executor workers() {
        return Infrastructure.getDefaultExecutor();
    }
}
