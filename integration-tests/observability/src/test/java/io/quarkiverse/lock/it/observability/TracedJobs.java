package io.quarkiverse.lock.it.observability;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

import io.opentelemetry.api.trace.Span;
import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Each method returns the trace in which it runs under its lock. */
@ApplicationScoped
public class TracedJobs {

    private final Semaphore begun = new Semaphore(0);
    private final Semaphore mayEnd = new Semaphore(0);

    @Locked("traced-{id}")
    String blocking(int id) {
        return trace();
    }

    @Locked("traced-{id}")
    Uni<String> uni(int id) {
        return Uni.createFrom().item(TracedJobs::trace);
    }

    @Locked("traced-{id}")
    Multi<String> multi(int id) {
        return Multi.createFrom().item(TracedJobs::trace);
    }

    @Locked("traced-{id}")
    CompletionStage<String> stage(int id) {
        return CompletableFuture.completedFuture(trace());
    }

    @Transactional
    @Locked(value = "traced-{id}", manager = "rows")
    String inTransaction(int id) {
        return trace();
    }

    /** Runs until it is told to end. */
    @Locked(value = "traced-{id}", waitFor = "2m")
    String untilTold(int id) {
        return untilTold();
    }

    String untilTold() {
        String trace = trace();
        begun.release();
        mayEnd.acquireUninterruptibly();
        return trace;
    }

    void awaitBegun() {
        begun.acquireUninterruptibly();
    }

    void end() {
        mayEnd.release();
    }

    static String trace() {
        return Span.current().getSpanContext().getTraceId();
    }
}
