package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;

/** A loss fails a stage where it would fail a {@code Uni}: on the event loop of the caller, or on any thread. */
class LostStageTest {

    private final AnsweringBackend backend = new AnsweringBackend();
    private final ExecutorService loop = Executors.newSingleThreadExecutor(task -> new Thread(task, "loop"));
    /** All workers are blocked. */
    private final Executor workers = task -> {
    };
    private Executor place = loop;
    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(new CallerThreads() {
        @Override
        public boolean blockingForbidden() {
            return false;
        }

        @Override
        public Executor here() {
            return place;
        }

        @Override
        public Executor workers() {
            return workers;
        }
    }).start();
    private LockHold hold;

    @BeforeEach
    void acquire() {
        backend.whenAsked = backend::grant;
        hold = engine.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
    }

    @AfterEach
    void end() {
        engine.close();
        loop.shutdown();
    }

    private CompletionStage<Object> stage() {
        return engine.stages().run(hold, CompletableFuture::new, ItemCheck.ANY);
    }

    private CompletionStage<Object> inside() {
        return engine.stages().failingInside(hold, new CompletableFuture<>());
    }

    /** The continuation is registered before the loss. */
    private String threadAfterTheLossOf(CompletionStage<Object> stage) throws Exception {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        CompletionStage<String> thread = stage.handle((item, failure) -> {
            told.complete(failure);
            return Thread.currentThread().getName();
        });
        backend.listener.lost(backend.granted.get(0), "a test says so");
        String name = thread.toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(told.join()).isInstanceOf(LockLostException.class);
        return name;
    }

    /** A transaction can be rolled back only between its statements. */
    @Test
    void fault543_lossFailsPatientStageWhenItsBodyEnds() throws Exception {
        CompletableFuture<Object> body = new CompletableFuture<>();
        CompletableFuture<Object> stage = engine.stages().runPatiently(hold, () -> body, ItemCheck.ANY).toCompletableFuture();
        backend.listener.lost(backend.granted.get(0), "a test says so");
        threadAfterTheLossOf(inside());
        assertThat(stage).isNotDone();
        body.complete("done");
        assertThat(stage).failsWithin(Duration.ofSeconds(10)).withThrowableThat().withCauseInstanceOf(LockLostException.class);
    }

    /** Its own failure comes first, as elsewhere, and does not hide the loss. */
    @Test
    void fault543_failedPatientStageReportsLossAsSuppressed() throws Exception {
        CompletableFuture<Object> body = new CompletableFuture<>();
        CompletableFuture<Object> stage = engine.stages().runPatiently(hold, () -> body, ItemCheck.ANY).toCompletableFuture();
        backend.listener.lost(backend.granted.get(0), "a test says so");
        var failure = new IllegalStateException("on purpose");
        body.completeExceptionally(failure);
        assertThat(stage).failsWithin(Duration.ofSeconds(10)).withThrowableThat().withCause(failure);
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
    }

    /** Its failure already is the loss. */
    @Test
    void fault543_patientStageFailingWithLossReportsItOnce() throws Exception {
        CompletableFuture<Object> inside = new CompletableFuture<>();
        CompletableFuture<Object> stage = engine.stages()
                .runPatiently(hold, () -> engine.stages().failingInside(hold, inside), ItemCheck.ANY).toCompletableFuture();
        backend.listener.lost(backend.granted.get(0), "a test says so");
        assertThat(stage).failsWithin(Duration.ofSeconds(10)).withThrowableThat()
                .satisfies(
                        told -> assertThat(told.getCause()).isInstanceOf(LockLostException.class).hasNoSuppressedExceptions());
    }

    @Test
    void fault533_lossFailsStageOnCallerEventLoop() throws Exception {
        assertThat(threadAfterTheLossOf(stage())).isEqualTo("loop");
    }

    @Test
    void fault533_lossFailsInnerStageOnBodyEventLoop() throws Exception {
        assertThat(threadAfterTheLossOf(inside())).isEqualTo("loop");
    }

    @Test
    void fault533_lossFailsStageWithoutAWorker() throws Exception {
        place = workers;
        assertThat(threadAfterTheLossOf(stage())).isEqualTo("quarkus-lock-news");
    }

    @Test
    void fault533_lossFailsInnerStageWithoutAWorker() throws Exception {
        place = workers;
        assertThat(threadAfterTheLossOf(inside())).isEqualTo("quarkus-lock-news");
    }

    /** A commit follows, which must not run where the store answers. */
    @Test
    void fault582_confirmationLeadsBackToBodyEventLoop() throws Exception {
        CompletableFuture<Object> body = new CompletableFuture<>();
        CompletableFuture<String> thread = engine.stages().failingInside(hold, body)
                .thenApply(item -> Thread.currentThread().getName()).toCompletableFuture();
        time.shiftWallClock(Duration.ofMinutes(10));
        body.complete("done");
        assertThat(thread.get(10, TimeUnit.SECONDS)).isEqualTo("loop");
    }
}
