package io.quarkiverse.lock.runtime.call;

import java.util.Map;
import java.util.concurrent.Callable;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.smallrye.mutiny.Uni;

/**
 * What the interceptors of one reactive invocation share. If several callers may have the lock, several subscriptions to the
 * invocation's result may create their bodies at once, each on its own thread.
 */
final class InvocationPipeline {

    /** The pipeline that created a body last, for an inner interceptor that runs on another thread. */
    private static final String PIPELINE = "io.quarkiverse.lock.pipeline";

    /** What the current thread is creating. */
    private static final ThreadLocal<@Nullable Making> MAKING = new ThreadLocal<>();

    /** @param invocation the data of the invocation, shared by all of its interceptors */
    private record Making(Map<String, Object> invocation, Pipelines.Running pipeline) {
    }

    private InvocationPipeline() {
    }

    /** Creates the body of a pipeline, which the inner of the two interceptors finds. */
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

    /** The pipeline whose body this invocation is about to create. */
    static Pipelines.@Nullable Running of(InvocationContext invocation) {
        Map<String, Object> data = invocation.getContextData();
        Making making = MAKING.get();
        return making != null && making.invocation == data ? making.pipeline : (Pipelines.Running) data.get(PIPELINE);
    }

    /** Turns a checked exception thrown while a {@code Uni} is created into a failure of that {@code Uni}. */
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
