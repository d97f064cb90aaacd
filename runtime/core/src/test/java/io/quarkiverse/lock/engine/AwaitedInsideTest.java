package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A caller that awaits a lock inside a pipeline that holds it is told why that cannot work. */
class AwaitedInsideTest {

    private static final String HINT = "Return the Uni instead, or chain it";

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "one")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final AtomicReference<UniAssertSubscriber<String>> inner = new AtomicReference<>();

    @AfterEach
    void close() {
        engine.close();
    }

    private Uni<String> nested() {
        return locks.lock("a", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(1)))
                .callAsync(() -> Uni.createFrom().item("nested"));
    }

    /** Like {@code await()}, but does not block the thread. */
    private void subscribeToNested() {
        inner.set(nested().subscribe().withSubscriber(UniAssertSubscriber.create()));
    }

    private static Uni<String> afterwards(Runnable deed, Supplier<Uni<String>> then) {
        deed.run();
        return then.get();
    }

    @Test
    void nestedAwaitInBodyGetsHint() {
        CompletableFuture<String> body = new CompletableFuture<>();
        locks.lock("a").callAsync(() -> afterwards(this::subscribeToNested, () -> Uni.createFrom().completionStage(body)))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        time.advance(Duration.ofSeconds(1));
        assertThat(inner.get().getFailure()).isInstanceOf(LockBusyException.class)
                .hasMessageContaining("held by this JVM for 1s").hasMessageEndingWith(HINT);
        body.complete("done");
    }

    @Test
    void nestedAwaitInChainedStepGetsHint() {
        CompletableFuture<String> body = new CompletableFuture<>();
        locks.lock("a").callAsync(() -> Uni.createFrom().item("x")
                .chain(x -> afterwards(this::subscribeToNested, () -> Uni.createFrom().completionStage(body))))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        time.advance(Duration.ofSeconds(1));
        assertThat(inner.get().getFailure()).hasMessageEndingWith(HINT);
        body.complete("done");
    }

    @Test
    void nestedCallWaitsForOuterRelease() {
        locks.lock("a").callAsync(() -> afterwards(this::subscribeToNested, () -> Uni.createFrom().item("done")))
                .subscribe().withSubscriber(UniAssertSubscriber.create()).assertItem("done");
        inner.get().assertItem("nested");
    }

    @Test
    void returnedUniIsNestedInThePipeline() {
        locks.lock("a").callAsync(this::nested).subscribe().withSubscriber(UniAssertSubscriber.create()).assertItem("nested");
    }

    @Test
    void unrelatedWaiterGetsNoHint() {
        CompletableFuture<String> body = new CompletableFuture<>();
        locks.lock("b").callAsync(() -> Uni.createFrom().item("x")).subscribe().withSubscriber(UniAssertSubscriber.create());
        locks.lock("a").callAsync(() -> Uni.createFrom().completionStage(body)).subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        subscribeToNested();
        time.advance(Duration.ofSeconds(1));
        assertThat(inner.get().getFailure()).hasMessageEndingWith("held by this JVM for 1s");
        body.complete("done");
    }
}
