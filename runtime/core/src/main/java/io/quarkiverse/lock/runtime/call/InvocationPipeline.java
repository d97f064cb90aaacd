package io.quarkiverse.lock.runtime.call;

import java.util.Map;
import java.util.concurrent.Callable;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.smallrye.mutiny.Uni;

/**
 * What the interceptors of one reactive invocation tell each other. If several may have the lock, several subscriptions to
 * what the invocation has returned may make their bodies at once, each on a thread of its own.
 */
final class InvocationPipeline {

    /** The pipeline that has made a body last, for an inner interceptor that is not called by the thread that makes one. */
    private static final String PIPELINE = "io.quarkiverse.lock.pipeline";

    /** What the current thread makes. */
    private static final ThreadLocal<@Nullable Making> MAKING = new ThreadLocal<>();

    /** @param invocation the data of the invocation, of which there is one for all of its interceptors */
    private record Making(Map<String, Object> invocation, Pipelines.Running pipeline) {
    }

    private InvocationPipeline() {
    }

    /** Makes the body of a pipeline, which the inner of the two interceptors finds. */
    @SuppressWarnings("unchecked")
    static <T> T proceed(InvocationContext invocation, LockedMethod method, Pipelines.Running pipeline) throws Exception {
        if (!method.transactional()) {
            return (T) invocation.proceed();
        }
        Map<String, Object> data = invocation.getContextData();
        data.put(PIPELINE, pipeline);
        Making around = MAKING.get();
        MAKING.set(new Making(data, pipeline));
        try {
            return (T) invocation.proceed();
        } finally {
            if (around == null) {
                MAKING.remove();
            } else {
                MAKING.set(around);
            }
        }
    }

    /** The pipeline whose body this invocation is about to make. */
    static Pipelines.@Nullable Running of(InvocationContext invocation) {
        Map<String, Object> data = invocation.getContextData();
        Making making = MAKING.get();
        return making != null && making.invocation == data ? making.pipeline : (Pipelines.Running) data.get(PIPELINE);
    }

    /** What is thrown where a {@code Uni} is made is a failure of that {@code Uni}, unless it is unchecked. */
    @SuppressWarnings("unchecked")
    static <T> Uni<T> uni(Callable<?> made) {
        try {
            return (Uni<T>) made.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            return Uni.createFrom().failure(e);
        }
    }
}
