package io.quarkiverse.lock.runtime.call;

import java.util.Set;
import java.util.stream.BaseStream;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.runtime.method.LockedMethod;

/** Results that represent work continuing after the method has returned: the lock would be given back before it is done. */
public final class LaterWork {

    /** The parent of the JDK's streams. Some are lazy, such as those of a query. */
    public static final String STREAM = "java.util.stream.BaseStream";

    /** By name, since not every application has these classes. */
    public static final Set<String> TYPES = Set.of(
            "io.smallrye.mutiny.Uni",
            "io.smallrye.mutiny.Multi",
            "java.util.concurrent.Future",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "java.util.concurrent.Flow$Subscriber",
            "org.reactivestreams.Subscriber",
            "io.grpc.stub.StreamObserver",
            STREAM,
            "org.eclipse.microprofile.reactive.streams.operators.PublisherBuilder",
            "org.eclipse.microprofile.reactive.streams.operators.SubscriberBuilder",
            "org.eclipse.microprofile.reactive.streams.operators.ProcessorBuilder",
            "org.eclipse.microprofile.reactive.streams.operators.CompletionRunner",
            // The types behind RxJava's Single, Maybe, Completable and Observable; its Flowable is a Publisher
            "io.reactivex.SingleSource",
            "io.reactivex.MaybeSource",
            "io.reactivex.CompletableSource",
            "io.reactivex.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.vertx.core.Future",
            "jakarta.ws.rs.core.StreamingOutput",
            "kotlinx.coroutines.flow.Flow",
            "kotlinx.coroutines.Job");

    private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isLaterWork(type);
        }
    };

    private LaterWork() {
    }

    /** Runs the body of a method whose return type says that it blocks. The returned value may say otherwise. */
    static @Nullable Object body(InvocationContext invocation, LockedMethod method) throws Exception {
        Object result = invocation.proceed();
        if (result != null && KNOWN.get(result.getClass())) {
            throw refusal(result, method);
        }
        return result;
    }

    private static IllegalStateException refusal(Object result, LockedMethod method) {
        return new IllegalStateException("[" + method + "] @Locked cannot hold the lock until the returned "
                + result.getClass().getName() + " has ended"
                + (result instanceof BaseStream ? ": return a List or an array"
                        : ", because the declared return type hides it: declare a Uni, a Multi, a CompletionStage or a "
                                + "CompletableFuture, or return the result itself"));
    }

    /** What is wrong with the item of a {@code Uni} or a {@code CompletionStage}; {@code null} if it is a value. */
    static @Nullable IllegalStateException asItem(@Nullable Object item, LockedMethod method) {
        return item == null || !KNOWN.get(item.getClass()) ? null
                : new IllegalStateException("[" + method + "] The item of the returned Uni or CompletionStage is a "
                        + item.getClass().getName() + ", and @Locked releases the lock before that has ended: emit "
                        + (item instanceof BaseStream ? "a List or an array" : "the result itself"));
    }

    private static boolean isLaterWork(@Nullable Class<?> type) {
        if (type == null) {
            return false;
        }
        if (TYPES.contains(type.getName()) || isLaterWork(type.getSuperclass())) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isLaterWork(parent)) {
                return true;
            }
        }
        return false;
    }
}
