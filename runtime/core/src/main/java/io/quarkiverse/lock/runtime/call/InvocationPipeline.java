package io.quarkiverse.lock.runtime.call;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.smallrye.mutiny.Uni;

/** What the interceptors of one reactive invocation tell each other. */
final class InvocationPipeline {

    /** Where the outer one leaves the pipeline whose body is being made. */
    private static final String PIPELINE = "io.quarkiverse.lock.pipeline";

    private InvocationPipeline() {
    }

    /** For the inner of the two interceptors. */
    static void keep(InvocationContext invocation, LockedMethod method, Pipelines.Running pipeline) {
        if (method.transactional()) {
            invocation.getContextData().put(PIPELINE, pipeline);
        }
    }

    /** The pipeline whose body this invocation is about to make. */
    static Pipelines.@Nullable Running of(InvocationContext invocation) {
        return (Pipelines.Running) invocation.getContextData().get(PIPELINE);
    }

    @SuppressWarnings("unchecked")
    static <T> T proceed(InvocationContext invocation) {
        try {
            return (T) invocation.proceed();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            return (T) Uni.createFrom().failure(e);
        }
    }
}
