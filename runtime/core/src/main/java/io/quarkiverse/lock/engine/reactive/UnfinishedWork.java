package io.quarkiverse.lock.engine.reactive;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.text.PrintableName;

/** Results that represent work continuing after the body has returned: the lock would be given back before it is done. */
public final class UnfinishedWork {

    private static final String STREAM = "java.util.stream.BaseStream";
    private static final String SEQUENCE = "kotlin.sequences.Sequence";

    /** Run when their results are asked for: those of JPA, of Hibernate and of Panache, in Java and in Kotlin. */
    private static final Set<String> QUERIES = Set.of(
            "jakarta.persistence.Query",
            "org.hibernate.query.CommonQueryContract",
            "org.hibernate.reactive.mutiny.Mutiny$AbstractQuery",
            "org.hibernate.reactive.stage.Stage$AbstractQuery",
            "io.quarkus.hibernate.panache.PanacheQuery",
            "io.quarkus.hibernate.orm.panache.PanacheQuery",
            "io.quarkus.hibernate.orm.panache.kotlin.PanacheQuery",
            "io.quarkus.hibernate.reactive.panache.PanacheQuery",
            "io.quarkus.hibernate.reactive.panache.kotlin.PanacheQuery",
            "io.quarkus.mongodb.panache.PanacheQuery",
            "io.quarkus.mongodb.panache.kotlin.PanacheQuery",
            "io.quarkus.mongodb.panache.reactive.ReactivePanacheQuery",
            "io.quarkus.mongodb.panache.kotlin.reactive.ReactivePanacheQuery",
            "io.quarkus.mongodb.panache.common.PanacheUpdate",
            "io.quarkus.mongodb.panache.common.reactive.ReactivePanacheUpdate");

    /** The parents of the JDK's streams and of Kotlin's, some of which are lazy, and of queries. */
    public static final Set<String> STREAMS = and(QUERIES, STREAM, SEQUENCE);

    /** By name, since not every application has these classes. */
    public static final Set<String> TYPES = and(QUERIES,
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
            SEQUENCE,
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
            "kotlinx.coroutines.channels.ReceiveChannel",
            "kotlinx.coroutines.Job");

    private static final String START_ONLY = "; if only its start needs the lock, put it inside another object, as an Optional";

    private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isOneOf(TYPES, type);
        }
    };

    private UnfinishedWork() {
    }

    private static Set<String> and(Set<String> some, String... others) {
        return Stream.concat(some.stream(), Stream.of(others)).collect(Collectors.toUnmodifiableSet());
    }

    public static boolean is(@Nullable Object result) {
        return result != null && KNOWN.get(result.getClass());
    }

    /** Whether it is one of the {@link #STREAMS}, which have a remedy of their own. */
    public static boolean isStream(Object work) {
        return isOneOf(STREAMS, work.getClass());
    }

    private static boolean isNotDone(@Nullable Object result) {
        return is(result) && !isDone(result);
    }

    private static boolean isDone(Object work) {
        if (!(work instanceof CompletionStage<?> stage)) {
            return work instanceof Future<?> future && future.isDone();
        }
        try {
            return stage.toCompletableFuture().isDone();
        } catch (UnsupportedOperationException e) {
            return false; // it does not say
        }
    }

    private static boolean isOneOf(Set<String> types, @Nullable Class<?> type) {
        if (type == null) {
            return false;
        }
        if (types.contains(type.getName()) || isOneOf(types, type.getSuperclass())) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isOneOf(types, parent)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The body of a call, which fails if it returns such work.
     *
     * @param instead what to do, unless it is a stream
     */
    public static <T> Callable<T> refusedFrom(Callable<T> body, String lock, String instead) {
        return () -> {
            T result = body.call();
            if (isNotDone(result)) {
                throw new IllegalStateException("Lock '" + PrintableName.of(lock) + "' may be released before the returned "
                        + result.getClass().getName() + " has ended: "
                        + (isStream(result) ? "return its result, as a List or an array" : instead + START_ONLY));
            }
            return result;
        };
    }

    /** The check of a {@code Uni}'s item, which must not be such work. */
    public static ItemCheck refusedAsItem(String lock) {
        return item -> !isNotDone(item) ? null
                : new IllegalStateException("Lock '" + PrintableName.of(lock) + "' would be released before the item, a "
                        + item.getClass().getName() + ", has ended: emit "
                        + (isStream(item) ? "its result, as a List or an array" : "the result itself" + START_ONLY));
    }
}
