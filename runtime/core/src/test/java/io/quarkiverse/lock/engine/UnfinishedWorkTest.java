package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.Stream;

import jakarta.persistence.TypedQuery;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.hibernate.query.SelectionQuery;
import org.hibernate.reactive.mutiny.Mutiny;
import org.hibernate.reactive.stage.Stage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkus.mongodb.panache.common.PanacheUpdate;
import io.quarkus.mongodb.panache.common.reactive.ReactivePanacheUpdate;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import kotlin.sequences.SequencesKt;

/** A lock is held until the body ends: a body must not return unfinished work, which would run without the lock. */
class UnfinishedWorkTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void nothingIsHeld() {
        assertThat(locks.held()).isEmpty();
        engine.close();
    }

    @Test
    void fault509_callRejectsUnfinishedResult() {
        for (Object later : List.of(Uni.createFrom().item(1), Multi.createFrom().item(1), new CompletableFuture<>(),
                new CompletableFuture<>().minimalCompletionStage(), new FutureTask<>(() -> 1), new SubmissionPublisher<>())) {
            refused(() -> locks.lock("a").call(() -> later), later, "'a'", "use callAsync", "as an Optional");
            refused(() -> locks.all("a", "b").call(() -> later), later, "'a, b'", "use callAsync");
        }
        for (Object lazy : List.of(Stream.of(1), SequencesKt.sequenceOf(1, 2))) {
            refused(() -> locks.lock("a").call(() -> lazy), lazy, "'a'", "return its result, as a List or an array");
        }
    }

    @Test
    void fault580_queryIsRejected() {
        for (Class<?> type : List.of(TypedQuery.class, SelectionQuery.class, Mutiny.SelectionQuery.class,
                Stage.MutationQuery.class, PanacheUpdate.class, ReactivePanacheUpdate.class)) {
            Object query = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                    (proxy, method, arguments) -> {
                        throw new AssertionError(method);
                    });
            refused(() -> locks.lock("a").call(() -> query), query, "'a'", "return its result, as a List or an array");
            refused(() -> emit(query), query, "'a'", "emit its result, as a List or an array");
        }
    }

    @Test
    void fault509_nestedCallRejectsUnfinishedResult() throws Exception {
        Object later = Uni.createFrom().item(1);
        locks.lock("a").call(() -> {
            refused(() -> locks.lock("a").call(() -> later), later, "'a'", "use callAsync");
            return null;
        });
    }

    @Test
    void fault509_uniRejectsUnfinishedItem() {
        for (Object later : List.of(Uni.createFrom().item(1), Multi.createFrom().item(1), new CompletableFuture<>(),
                new FutureTask<>(() -> 1), new SubmissionPublisher<>())) {
            refused(() -> emit(later), later, "'a'", "emit the result itself", "as an Optional");
        }
        for (Object lazy : List.of(Stream.of(1), SequencesKt.sequenceOf(1, 2))) {
            refused(() -> emit(lazy), lazy, "'a'", "emit its result, as a List or an array");
        }
    }

    @Test
    void fault509_rejectionStillReportsTheLoss() {
        assertThatThrownBy(() -> locks.lock("a").call(() -> {
            locks.forceRelease("a");
            return Uni.createFrom().item(1);
        })).isInstanceOf(IllegalStateException.class).hasMessageContaining("use callAsync")
                .satisfies(failure -> assertThat(failure.getSuppressed()).singleElement()
                        .isInstanceOf(LockLostException.class));
    }

    @Test
    void finishedResultIsReturned() throws Exception {
        for (Object result : List.of("x", List.of(1), Optional.of(Uni.createFrom().item(1)), new int[] { 1 })) {
            assertThat(locks.lock("a").call(() -> result)).isSameAs(result);
            assertThat(emit(result)).isSameAs(result);
        }
        assertThat(locks.lock("a").<Object> call(() -> null)).isNull();
        assertThat(emit(null)).isNull();
    }

    @Test
    void completedFutureIsReturned() throws Exception {
        FutureTask<Integer> run = new FutureTask<>(() -> 1);
        run.run();
        for (Object done : List.of(CompletableFuture.completedFuture(1), CompletableFuture.completedStage(1), run,
                CompletableFuture.failedFuture(new IllegalStateException("on purpose")))) {
            assertThat(locks.lock("a").call(() -> done)).isSameAs(done);
            assertThat(emit(done)).isSameAs(done);
        }
    }

    private Object emit(Object item) {
        return locks.lock("a").callAsync(() -> Uni.createFrom().item(item)).await().indefinitely();
    }

    private static void refused(ThrowingCallable call, Object later, String name, String... instead) {
        assertThatThrownBy(call).as(later.getClass().getName()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Lock " + name).hasMessageContaining(later.getClass().getName())
                .hasMessageContainingAll(instead);
    }
}
