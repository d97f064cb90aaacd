package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.BlockingOperationNotAllowedException;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** {@code CompletionStage}s hold their lock until they complete; event loops never block for a lock, yet bodies run on them. */
class StagesAndEventLoopsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    @AfterEach
    void nothingIsLeft() {
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    // --- stages

    @Test
    void stageHoldsLockUntilItCompletes() throws Exception {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = orders.stage(() -> body).toCompletableFuture();
        assertThat(held("order")).isTrue();
        assertThat(result).isNotDone();
        new Thread(() -> body.complete("paid")).start();
        assertThat(get(result)).isEqualTo("paid");
        assertThat(held("order")).isFalse();
    }

    @Test
    void stageHoldsLockUntilAfterCommit() throws Exception {
        CompletableFuture<String> body = new CompletableFuture<>();
        Watched[] watch = new Watched[1];
        CompletableFuture<String> result = orders.stageInTransaction(() -> {
            watch[0] = Watched.transaction("order");
            return body;
        }).toCompletableFuture();
        assertThat(watch[0].ended()).isFalse();
        new Thread(() -> body.complete("paid")).start();
        assertThat(get(result)).isEqualTo("paid");
        assertThat(watch[0].end()).isEqualTo(End.COMMITTED_WHILE_HELD);
        assertThat(held("order")).isFalse();
    }

    @Test
    void failedStageRollsBackUnderLock() throws Exception {
        CompletableFuture<String> body = new CompletableFuture<>();
        Watched[] watch = new Watched[1];
        CompletableFuture<String> result = orders.stageInTransaction(() -> {
            watch[0] = Watched.transaction("order");
            return body;
        }).toCompletableFuture();
        IllegalStateException failure = new IllegalStateException("on purpose");
        body.completeExceptionally(failure);
        assertThatThrownBy(() -> get(result)).hasCause(failure);
        assertThat(watch[0].end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
    }

    @Test
    void lossFailsStageAtOnceAndRollsBack() throws Exception {
        CompletableFuture<String> never = new CompletableFuture<>();
        Watched[] watch = new Watched[1];
        CompletableFuture<String> result = orders.stageInTransaction(() -> {
            watch[0] = Watched.transaction("order");
            return never;
        }).toCompletableFuture();
        locks.forceRelease("order");
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(LockLostException.class);
        assertThat(watch[0].end().committed()).isFalse();
    }

    @Test
    void fault316_lossDuringCommitRollsBack() throws Exception {
        CompletableFuture<String> body = new CompletableFuture<>();
        Watched[] watch = new Watched[1];
        CompletableFuture<String> result = orders.stageInTransaction(() -> {
            watch[0] = Watched.transaction("order");
            Watched.beforeTheCommit(() -> locks.forceRelease("order"));
            return body;
        }).toCompletableFuture();
        body.complete("paid");
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(LockLostException.class);
        assertThat(watch[0].end().committed()).isFalse();
    }

    @Test
    void lossDuringStageCreationRollsBack() throws Exception {
        Watched[] watch = new Watched[1];
        CompletableFuture<String> result = orders.stageInTransaction(() -> {
            watch[0] = Watched.transaction("order");
            locks.forceRelease("order");
            return CompletableFuture.completedFuture("paid");
        }).toCompletableFuture();
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(LockLostException.class);
        assertThat(watch[0].end().committed()).isFalse();
    }

    @Test
    void busyStageSkipsOrFails() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Supplier<CompletionStage<String>> body = () -> CompletableFuture.completedFuture("run " + runs.incrementAndGet());
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(get(orders.skip(body).toCompletableFuture())).isNull();
            assertThatThrownBy(() -> get(orders.hurry(body).toCompletableFuture()))
                    .hasCauseInstanceOf(LockBusyException.class);
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(get(orders.skip(body).toCompletableFuture())).isEqualTo("run 1");
    }

    // --- event loops

    @Test
    void stageDoesNotBlockEventLoop() throws Exception {
        LockHandle first = locks.lock("order").acquire();
        Context context = VertxContext.getOrCreateDuplicatedContext(vertx);
        CompletableFuture<Context> where = new CompletableFuture<>();
        CompletableFuture<CompletionStage<String>> returned = new CompletableFuture<>();
        context.runOnContext(ignored -> forward(returned, () -> orders.stage(() -> {
            where.complete(Vertx.currentContext());
            assertThat(BlockingOperationControl.isBlockingAllowed()).isFalse();
            return CompletableFuture.completedFuture("paid");
        })));
        CompletionStage<String> stage = get(returned);
        assertThat(stage.toCompletableFuture()).as("waits for the lock").isNotDone();
        new Thread(first::close).start();
        assertThat(get(stage.toCompletableFuture())).isEqualTo("paid");
        assertThat(get(where)).isSameAs(context);
    }

    @Test
    void busyStageOnEventLoopSkipsOrFails() throws Exception {
        Supplier<CompletionStage<String>> body = () -> CompletableFuture.completedFuture("paid");
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(get(get(onEventLoop(() -> orders.skip(body))).toCompletableFuture())).isNull();
            CompletionStage<String> busy = get(onEventLoop(() -> orders.hurry(body)));
            assertThatThrownBy(() -> get(busy.toCompletableFuture())).hasCauseInstanceOf(LockBusyException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    /** As on a worker, later stages see the failure without an exception of the JDK around it. */
    @Test
    void fault544_stageOnEventLoopFailsWithOriginalException() throws Exception {
        IllegalStateException failure = new IllegalStateException("on purpose");
        assertThat(failureOnEventLoop(() -> orders.stage(() -> CompletableFuture.failedFuture(failure)))).isSameAs(failure);
        assertThat(failureOnEventLoop(() -> orders.stage(() -> {
            throw failure;
        }))).isSameAs(failure);
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(failureOnEventLoop(() -> orders.hurry(() -> CompletableFuture.completedFuture("paid"))))
                    .isInstanceOf(LockBusyException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    /** Whatever exception the JDK has wrapped around it. */
    @Test
    void fault544_fallbackFailsWithOriginalException() throws Exception {
        IllegalStateException failure = new IllegalStateException("on purpose");
        Callable<CompletionStage<String>> call = () -> orders.instead(() -> CompletableFuture.<String> failedFuture(failure)
                .thenApply(String::trim));
        try (LockHandle hold = locks.lock("order").acquire()) {
            assertThat(get(call.call().handle((item, told) -> told).toCompletableFuture())).isSameAs(failure);
            assertThat(failureOnEventLoop(call)).isSameAs(failure);
            assertThat(hold.isValid()).isTrue();
        }
    }

    private Throwable failureOnEventLoop(Callable<CompletionStage<String>> call) throws Exception {
        return get(get(onEventLoop(() -> call.call().handle((item, failure) -> failure))).toCompletableFuture());
    }

    @Test
    void stageReentersSeveralLocksOnEventLoop() throws Exception {
        LockHandle last = locks.lock("stock").acquire();
        CompletableFuture<CompletionStage<String>> made = onEventLoop(() -> orders.both(() -> {
            assertThat(held("order") && held("stock")).isTrue();
            locks.lock("order").tryAcquire(Duration.ZERO).orElseThrow().close();
            locks.lock("stock").tryAcquire(Duration.ZERO).orElseThrow().close();
            return orders.both(() -> orders.hurry(() -> CompletableFuture.completedFuture("inside")));
        }));
        CompletableFuture<String> stage = get(made).toCompletableFuture();
        assertThat(stage).as("waits for the last lock").isNotDone();
        new Thread(last::close).start();
        assertThat(get(stage)).isEqualTo("inside");
        assertThat(held("order") || held("stock")).isFalse();
    }

    @Test
    void lossOfAnyLockFailsStageOnEventLoop() throws Exception {
        for (String name : new String[] { "order", "stock" }) {
            CompletableFuture<String> body = new CompletableFuture<>();
            CompletableFuture<CompletionStage<String>> made = onEventLoop(() -> orders.both(() -> body));
            CompletableFuture<String> stage = get(made).toCompletableFuture();
            locks.forceRelease(name);
            assertThatThrownBy(() -> get(stage)).cause().isInstanceOf(LockLostException.class).hasMessageContaining(name);
            body.complete("too late");
            assertThat(held("order") || held("stock")).isFalse();
        }
    }

    @Test
    void fault533_lossContinuesOnCallersContext() throws Exception {
        Context context = VertxContext.getOrCreateDuplicatedContext(vertx);
        CompletableFuture<Context> where = new CompletableFuture<>();
        CompletableFuture<Void> called = new CompletableFuture<>();
        context.runOnContext(ignored -> forward(called, () -> {
            orders.stage(CompletableFuture::new).whenComplete((item, loss) -> where.complete(Vertx.currentContext()));
            return null;
        }));
        get(called);
        locks.forceRelease("order");
        assertThat(get(where)).isSameAs(context);
    }

    @Test
    void fault533_lossRollsBackOnRequestContext() throws Exception {
        Context request = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());
        CompletableFuture<Context> where = new CompletableFuture<>();
        CompletableFuture<Void> called = new CompletableFuture<>();
        request.executeBlocking(() -> {
            forward(called, () -> {
                orders.stageInTransaction(() -> {
                    Watched.atTheEnd(status -> where.complete(Vertx.currentContext()));
                    return new CompletableFuture<>();
                });
                return null;
            });
            return null;
        });
        get(called);
        locks.forceRelease("order");
        assertThat(get(where)).isSameAs(request);
    }

    @Test
    void uniRunsOnSubscribersContext() throws Exception {
        LockHandle first = locks.lock("order").acquire();
        Context context = VertxContext.getOrCreateDuplicatedContext(vertx);
        CompletableFuture<Context> body = new CompletableFuture<>();
        CompletableFuture<Context> end = new CompletableFuture<>();
        CompletableFuture<Void> subscribed = new CompletableFuture<>();
        context.runOnContext(ignored -> {
            orders.later(() -> {
                body.complete(Vertx.currentContext());
                return Uni.createFrom().item("paid");
            }).subscribe().with(item -> end.complete(Vertx.currentContext()), end::completeExceptionally);
            subscribed.complete(null);
        });
        get(subscribed);
        new Thread(first::close).start();
        assertThat(get(body)).isSameAs(context);
        assertThat(get(end)).isSameAs(context);
    }

    @Test
    void blockingMethodIsRejectedOnEventLoop() throws Exception {
        CompletableFuture<String> result = onEventLoop(() -> orders.blocking(() -> "never"));
        assertThatThrownBy(() -> get(result)).cause().isInstanceOf(BlockingOperationNotAllowedException.class)
                .hasMessageContaining("'order'").hasMessageContaining("@Blocking").hasMessageContaining("Uni");
        assertThat(held("order")).isFalse();
    }

    private <T> CompletableFuture<T> onEventLoop(Callable<T> task) {
        CompletableFuture<T> end = new CompletableFuture<>();
        VertxContext.getOrCreateDuplicatedContext(vertx).runOnContext(ignored -> forward(end, task));
        return end;
    }

    private static <T> void forward(CompletableFuture<T> end, Callable<T> task) {
        try {
            end.complete(task.call());
        } catch (Throwable e) {
            end.completeExceptionally(e);
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        CompletionStage<String> stage(Supplier<CompletionStage<String>> body) {
            return body.get();
        }

        @Locked("order")
        @Transactional
        CompletionStage<String> stageInTransaction(Supplier<CompletionStage<String>> body) {
            return body.get();
        }

        @Locked({ "order", "stock" })
        CompletionStage<String> both(Supplier<CompletionStage<String>> body) {
            return body.get();
        }

        @Locked(value = "order", waitFor = "0", onBusy = OnBusy.SKIP)
        CompletionStage<String> skip(Supplier<CompletionStage<String>> body) {
            return body.get();
        }

        @Locked(value = "order", waitFor = "0")
        CompletionStage<String> hurry(Supplier<CompletionStage<String>> body) {
            return body.get();
        }

        @Locked(value = "order", waitFor = "0", onBusy = OnBusy.FALLBACK, fallbackMethod = "fallback")
        CompletionStage<String> instead(Supplier<CompletionStage<String>> fallback) {
            return CompletableFuture.completedFuture("paid");
        }

        CompletionStage<String> fallback(Supplier<CompletionStage<String>> fallback) {
            return fallback.get();
        }

        @Locked("order")
        Uni<String> later(Supplier<Uni<String>> body) {
            return body.get();
        }

        @Locked("order")
        String blocking(Callable<String> body) throws Exception {
            return body.call();
        }
    }
}
