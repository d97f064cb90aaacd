package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.multi.processors.UnicastProcessor;
import io.smallrye.mutiny.subscription.Cancellable;

/** A transaction under a lock that can be rolled back only between its statements. */
class PatientPipelinesTest extends ToldPipelines {

    private static final String[] A = { "a" };
    private static final String[] B = { "b" };

    private final CompletableFuture<String> statements = new CompletableFuture<>();
    private final CompletableFuture<Void> flush = new CompletableFuture<>();
    private final List<Object> results = new ArrayList<>();
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final UnicastProcessor<String> items = UnicastProcessor.create();
    private final AtomicBoolean noMoreItems = new AtomicBoolean();
    private final List<String> received = new ArrayList<>();

    @Test
    void commitsAfterBodyAndFlushComplete() {
        begun.complete(null);
        start("a");
        statements.complete("done");
        assertThat(committed).as("not before it is flushed").isEmpty();
        flush.complete(null);
        tellAll();
        assertThat(committed).containsExactly("done");
        assertThat(results).containsExactly("done");
    }

    @Test
    void lossIsReportedAfterTheBodyEnds() {
        begun.complete(null);
        start("a");
        locks.forceRelease("a");
        tellAll();
        assertThat(statements).as("running statements are not cancelled").isNotDone();
        assertThat(results).isEmpty();
        statements.complete("done");
        flush.complete(null);
        assertLost("a");
    }

    @Test
    void lossDuringFlushRollsBack() {
        begun.complete(null);
        start("a");
        statements.complete("done");
        locks.forceRelease("a");
        flush.complete(null);
        assertLost("a");
    }

    @Test
    void lossOfOneOfSeveralLocksRollsBack() {
        begun.complete(null);
        start("a", "b");
        locks.forceRelease("a");
        tellAll();
        assertThat(results).as("the transaction ends first").isEmpty();
        statements.complete("done");
        flush.complete(null);
        assertLost("a");
    }

    @Test
    void cancelledCallKeepsItsLockUntilRollback() {
        begun.complete(null);
        Cancellable call = start("a", "b");
        call.cancel();
        tellAll();
        assertThat(statements).isNotDone();
        assertThat(engine.held()).hasSize(2);
        statements.complete("done");
        flush.complete(null);
        tellAll();
        assertThat(engine.held()).isEmpty();
        assertThat(committed).isEmpty();
        assertThat(rolledBack).hasSize(1);
        assertThat(results).isEmpty();
    }

    /** Cancelling it at that point would leak its connection. */
    @Test
    void cancellationDuringBeginRollsBackAfterBegin() {
        Cancellable call = start("a");
        call.cancel();
        tellAll();
        assertThat(begun).isNotDone();
        assertThat(engine.held()).hasSize(1);
        begun.complete(null);
        tellAll();
        assertThat(rolledBack).hasSize(1);
        assertThat(statements.getNumberOfDependents()).as("the body was not begun").isZero();
    }

    @Test
    void nestedCallInPatientBodyIsPatientToo() {
        var inner = new CompletableFuture<String>();
        engine.pipelines().locked(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return locks.lock("b").callAsync(() -> Uni.createFrom().completionStage(inner));
        }).subscribe().with(results::add, results::add);
        locks.forceRelease("b");
        tellAll();
        assertThat(inner).as("the running body is not cancelled").isNotDone();
        assertThat(results).isEmpty();
        inner.complete("done");
        tellAll();
        assertThat(results).singleElement().isInstanceOf(LockLostException.class);
    }

    @Test
    void fault543_nestedMultiIsPatientToo() {
        startWithMultiInside(Long.MAX_VALUE);
        items.onNext("x");
        locks.forceRelease("b");
        tellAll();
        assertThat(noMoreItems).as("the running Multi is not cancelled").isFalse();
        assertThat(results).isEmpty();
        items.onComplete();
        tellAll();
        assertThat(results).singleElement().isInstanceOf(LockLostException.class);
    }

    /** It may emit many more items, and no statement is running when one arrives. */
    @Test
    void fault543_lostMultiFailsInsteadOfEmittingNextItem() {
        startWithMultiInside(Long.MAX_VALUE);
        items.onNext("x");
        locks.forceRelease("b");
        tellAll();
        items.onNext("y");
        tellAll();
        assertThat(noMoreItems).isTrue();
        assertThat(received).containsExactly("x");
        assertThat(results).singleElement().isInstanceOf(LockLostException.class);
    }

    @Test
    void fault543_downstreamCancellationEndsNestedMulti() {
        startWithMultiInside(1);
        items.onNext("x");
        tellAll();
        assertThat(noMoreItems).isTrue();
        assertThat(results).containsExactly(List.of("x"));
    }

    /** Takes at most that many items of the Multi. */
    private void startWithMultiInside(long enough) {
        engine.pipelines().locked(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return engine.pipelines().lockedMulti(B, settings, null,
                    (inner, ignored) -> items.onCancellation().invoke(() -> noMoreItems.set(true)))
                    .onItem().invoke(received::add).select().first(enough).collect().asList();
        }).subscribe().with(results::add, results::add);
    }

    /** The surrounding transaction reports that loss: the lock of the Multi is still held. */
    @Test
    void fault543_multiContinuesAfterRecoveredLossOfAnotherLock() {
        var loss = new LockLostException("b", "a test says so", null);
        engine.pipelines().lockedMulti(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return Multi.createFrom().items("recovered", "next")
                    .withContext((each, context) -> each.invoke(item -> Pipelines.failAround(context, loss)));
        }).subscribe().with(received::add, results::add);
        assertThat(received).containsExactly("recovered", "next");
        assertThat(results).isEmpty();
    }

    /** The transaction treats a cancellation as normal completion, as JTA does. */
    @Test
    void fault543_transactionInLostMultiRollsBackAtNextItem() {
        engine.pipelines().locked(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return engine.pipelines().lockedMulti(B, settings, null,
                    (inner, pipelineInside) -> Pipelines.failingInside(items, pipelineInside)
                            .onCancellation().invoke(() -> committed.add("cancelled"))
                            .onFailure().invoke(rolledBack::add))
                    .onItem().invoke(received::add).collect().asList();
        }).subscribe().with(results::add, results::add);
        items.onNext("x");
        locks.forceRelease("b");
        tellAll();
        assertThat(rolledBack).as("not while a statement may be running").isEmpty();
        items.onNext("y");
        assertLost("b");
        assertThat(received).containsExactly("x");
    }

    /** The current transaction is the surrounding one: it must not commit what was written inside. */
    @Test
    void recoveryFromNestedLossStillRollsBack() {
        var inner = new CompletableFuture<String>();
        engine.pipelines().locked(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return Pipelines.failingAtEnd(() -> Uni.createFrom().context(context -> locks.lock("b")
                    .callAsync(() -> Uni.createFrom().completionStage(inner))
                    .onFailure(LockLostException.class).invoke(loss -> Pipelines.failAround(context, (LockLostException) loss))
                    .onFailure().recoverWithItem("recovered")), () -> Uni.createFrom().voidItem(), pipeline)
                    .onItem().invoke(committed::add).onFailure().invoke(rolledBack::add);
        }).subscribe().with(results::add, results::add);
        locks.forceRelease("b");
        inner.complete("done");
        assertLost("b");
    }

    @Test
    void failedBeginAfterCancellationReleasesTheLock() {
        Cancellable call = start("a");
        call.cancel();
        begun.completeExceptionally(new IllegalStateException("no connection"));
        tellAll();
        assertThat(engine.held()).isEmpty();
    }

    private Cancellable start(String... names) {
        return engine.pipelines().locked(names, settings, null, (held, pipeline) -> transaction(pipeline))
                .subscribe().with(results::add, results::add);
    }

    private Uni<String> transaction(Pipelines.Running pipeline) {
        pipeline.beginPatientBody();
        return Uni.createFrom().completionStage(begun)
                .chain(() -> Pipelines.failingAtEnd(() -> Uni.createFrom().completionStage(statements),
                        () -> Uni.createFrom().completionStage(flush), pipeline)
                        .onItem().invoke(committed::add).onFailure().invoke(rolledBack::add));
    }

    private void assertLost(String name) {
        tellAll();
        assertRolledBack(name);
        assertThat(results).isEqualTo(rolledBack);
    }
}
