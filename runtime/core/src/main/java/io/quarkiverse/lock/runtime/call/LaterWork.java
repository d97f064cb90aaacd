package io.quarkiverse.lock.runtime.call;

import java.util.Set;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.reactive.UnfinishedWork;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.smallrye.mutiny.Multi;

/** {@link UnfinishedWork} as the result of a {@code @Locked} method. */
public final class LaterWork {

    /** Refused at build time if the method declares it; see {@link UnfinishedWork#STREAMS}. */
    public static final Set<String> STREAMS = UnfinishedWork.STREAMS;

    /** Like {@link #STREAMS}; see {@link UnfinishedWork#TYPES}. */
    public static final Set<String> TYPES = UnfinishedWork.TYPES;

    /** Quarkus REST reads the status and the headers from the object itself, which the {@code Multi} with the lock hides. */
    public static final String REST_MULTI = "org.jboss.resteasy.reactive.RestMulti";

    private static final ClassValue<Boolean> HAS_HEADERS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.getName().equals(REST_MULTI) || type.getSuperclass() != null && get(type.getSuperclass());
        }
    };

    private LaterWork() {
    }

    /** Runs the body of a method whose return type says that it blocks. The returned value may say otherwise. */
    static @Nullable Object body(InvocationContext invocation, LockedMethod method) throws Exception {
        Object result = invocation.proceed();
        if (UnfinishedWork.is(result)) {
            throw refusal(result, method);
        }
        return result;
    }

    /** Passes on what a method has returned that streams its items. */
    static <T extends @Nullable Multi<?>> T items(T result, LockedMethod method) {
        if (result != null && HAS_HEADERS.get(result.getClass())) {
            throw new IllegalStateException("[" + method + "] @Locked would hide the status and the headers of the returned "
                    + result.getClass().getName() + ": return another Multi, and set them with @ResponseStatus and "
                    + "@ResponseHeader, or put @Locked on the method of another bean that makes the items");
        }
        return result;
    }

    private static IllegalStateException refusal(Object result, LockedMethod method) {
        return new IllegalStateException("[" + method + "] @Locked cannot hold the lock until the returned "
                + result.getClass().getName() + " has ended"
                + (UnfinishedWork.isStream(result) ? ": return its result, as a List or an array"
                        : ", because the declared return type hides it: declare a Uni, a Multi, a CompletionStage or a "
                                + "CompletableFuture, or return the result itself"));
    }

    /** What is wrong with the item of a {@code Uni} or a {@code CompletionStage}; {@code null} if it is a value. */
    static @Nullable IllegalStateException asItem(@Nullable Object item, LockedMethod method) {
        return !UnfinishedWork.is(item) ? null
                : new IllegalStateException("[" + method + "] The item of the returned Uni or CompletionStage is a "
                        + item.getClass().getName() + ", and @Locked releases the lock before that has ended: emit "
                        + (UnfinishedWork.isStream(item) ? "its result, as a List or an array" : "the result itself"));
    }
}
