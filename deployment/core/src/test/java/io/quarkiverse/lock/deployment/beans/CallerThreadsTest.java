package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.BlockingOperationNotAllowedException;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** A wait ends where it began: on the caller's Vert.x context, and on a thread that may block if the caller's may. */
class CallerThreadsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    LockManager locks;

    @Inject
    Vertx vertx;

    private record Place(Context context, boolean mayBlock) {

        static Place now() {
            return new Place(Vertx.currentContext(), BlockingOperationControl.isBlockingAllowed());
        }
    }

    @Test
    void blockingAcquireOnEventLoopIsRejected() throws Exception {
        Throwable refusal = onEventLoop(duplicated(), () -> {
            assertThatThrownBy(() -> locks.lock("x").acquire()).isInstanceOf(BlockingOperationNotAllowedException.class)
                    .hasMessageContaining("'x'");
            return CompletableFuture.completedFuture(null);
        });
        assertThat(refusal).isNull();
    }

    @Test
    void waitResumesOnRequestContext() throws Exception {
        Context context = duplicated();
        Place end = afterWait(wait -> onEventLoop(context, wait));
        assertThat(end).isEqualTo(new Place(context, false));
    }

    @Test
    void waitResumesOnRequestWorker() throws Exception {
        Context context = duplicated();
        Place end = afterWait(wait -> onWorker(context, wait));
        assertThat(end).isEqualTo(new Place(context, true));
    }

    @Test
    void waitResumesOnPlainWorker() throws Exception {
        Place end = afterWait(wait -> wait.call().toCompletableFuture().get(10, TimeUnit.SECONDS));
        assertThat(end).isEqualTo(new Place(null, true));
    }

    /** The previous holder hands over the lock on its own thread, but its request context stays behind. */
    @Test
    void fault182_contextOfReleasingEventLoopIsNotPropagated() throws Exception {
        Context theirs = duplicated();
        assertThat(afterWait(locks.lock("contended"), release -> theirs.runOnContext(ignored -> release.run())))
                .isEqualTo(new Place(null, true));
    }

    @Test
    void fault182_contextOfReleasingWorkerIsNotPropagated() throws Exception {
        Context theirs = duplicated();
        assertThat(afterWait(locks.lock("contended"), release -> onWorkerOf(theirs, release)))
                .isEqualTo(new Place(null, true));
    }

    @Test
    void fault182_contextOfReleaserOfOneOfSeveralIsNotPropagated() throws Exception {
        Context theirs = duplicated();
        assertThat(afterWait(locks.all("contended", "free"), release -> onWorkerOf(theirs, release)))
                .isEqualTo(new Place(null, true));
    }

    /** Both locks are waited for, and the second wait begins where the first one ended. */
    @Test
    void fault182_contextOfFirstReleaserIsNotPropagated() throws Exception {
        Context theirs = duplicated();
        LockHandle second = locks.lock("d").acquire();
        assertThat(afterWait(locks.all("contended", "d"), release -> onWorkerOf(theirs, () -> {
            release.run();
            new Thread(second::close).start();
        }))).isEqualTo(new Place(null, true));
    }

    private static void onWorkerOf(Context context, Runnable task) {
        context.executeBlocking(() -> {
            task.run();
            return null;
        }, false);
    }

    /** Where a caller without a context continues after its wait for a lock that is released on that executor. */
    private Place afterWait(DistributedLock wanted, Executor releasing) throws Exception {
        LockHandle first = locks.lock("contended").acquire();
        CompletableFuture<Place> end = new CompletableFuture<>();
        wanted.acquireAsync().subscribe().with(handle -> {
            end.complete(Place.now());
            handle.release().subscribe().with(ignored -> {
            });
        }, end::completeExceptionally);
        releasing.execute(() -> first.release().subscribe().with(ignored -> {
        }));
        return end.get(10, TimeUnit.SECONDS);
    }

    private interface Caller {
        Place call(Callable<CompletionStage<Place>> wait) throws Exception;
    }

    /** Where a caller continues after its wait for a lock. */
    private Place afterWait(Caller caller) throws Exception {
        DistributedLock lock = locks.lock("contended");
        LockHandle first = lock.acquire();
        return caller.call(() -> {
            CompletableFuture<Place> end = new CompletableFuture<>();
            lock.acquireAsync().subscribe().with(handle -> {
                end.complete(Place.now());
                handle.release().subscribe().with(ignored -> {
                });
            }, end::completeExceptionally);
            // from a new thread, which is not the caller's and does not lead back to it
            new Thread(first::close).start();
            return end;
        });
    }

    private Context duplicated() {
        return VertxContext.getOrCreateDuplicatedContext(vertx);
    }

    private static <T> T onEventLoop(Context context, Callable<CompletionStage<T>> task) throws Exception {
        CompletableFuture<T> end = new CompletableFuture<>();
        context.runOnContext(ignored -> forward(task, end));
        return end.get(10, TimeUnit.SECONDS);
    }

    private static <T> T onWorker(Context context, Callable<CompletionStage<T>> task) throws Exception {
        CompletableFuture<T> end = new CompletableFuture<>();
        context.executeBlocking(() -> {
            forward(task, end);
            return null;
        }, false);
        return end.get(10, TimeUnit.SECONDS);
    }

    private static <T> void forward(Callable<CompletionStage<T>> task, CompletableFuture<T> end) {
        try {
            task.call().whenComplete((item, failure) -> {
                if (failure == null) {
                    end.complete(item);
                } else {
                    end.completeExceptionally(failure);
                }
            });
        } catch (Throwable e) {
            end.completeExceptionally(e);
        }
    }
}
