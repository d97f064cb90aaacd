package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import jakarta.transaction.RollbackException;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.transaction.OuterTransaction;
import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;

/** The machine is suspended while a transaction runs under a lock: only the backend knows whether it is still held. */
class DivergedClocksAtEndTest extends PushingTest {

    private static final String[] A = { "a" };

    private final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
    private CompletableFuture<String> body;
    private final List<String> committed = new ArrayList<>();
    private final List<Throwable> rolledBack = new ArrayList<>();
    private final List<Object> results = new ArrayList<>();

    @Test
    void fault582_patientBodyCommitsOnceConfirmed() {
        assertCommitsOnceConfirmed(patient());
    }

    @Test
    void fault582_uniCommitsOnceConfirmed() {
        assertCommitsOnceConfirmed(guarded());
    }

    @Test
    void fault582_multiCommitsOnceConfirmed() {
        assertCommitsOnceConfirmed(guardedMulti());
    }

    @Test
    void fault582_stageCommitsOnceConfirmed() {
        assertCommitsOnceConfirmed(guardedStage());
    }

    private void assertCommitsOnceConfirmed(Uni<String> call) {
        begin(call);
        endAfterSuspension();
        assertThat(committed).as("before it is confirmed").isEmpty();
        assertThat(rolledBack).isEmpty();
        backend.confirm();
        assertThat(rolledBack).isEmpty();
        assertThat(committed).containsExactly("done");
        assertThat(results).containsExactly("done");
    }

    /** It is confirmed before the commit. */
    @Test
    void fault582_patientBodyBeginsUnconfirmed() {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        begin(engine.pipelines().locked(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return Uni.createFrom().completionStage(begun).chain(() -> patientBody(pipeline));
        }));
        time.shiftWallClock(Duration.ofMinutes(10));
        begun.complete(null);
        body.complete("done");
        backend.confirm();
        assertThat(committed).containsExactly("done");
    }

    @Test
    void fault582_lockFoundLostRollsBack() {
        for (Uni<String> call : List.of(patient(), guarded(), guardedMulti())) {
            begin(call);
            endAfterSuspension();
            backend.deny();
            assertThat(committed).isEmpty();
            assertThat(rolledBack).last().satisfies(loss -> assertThat(loss).isInstanceOf(LockLostException.class)
                    .hasMessageContaining("the backend no longer has it"));
        }
        assertThat(rolledBack).hasSize(3);
    }

    /** It may be lost or not. */
    @Test
    void fault582_unansweredConfirmationRollsBackAndSaysSo() {
        for (Uni<String> call : List.of(patient(), guarded(), guardedMulti(), guardedStage())) {
            begin(call);
            endAfterSuspension();
            backend.ignore();
            assertThat(committed).isEmpty();
            assertThat(rolledBack).last().satisfies(loss -> assertThat(loss).isInstanceOf(LockLostException.class)
                    .hasMessageContaining("could not be confirmed after the clocks diverged"));
        }
        assertThat(rolledBack).hasSize(4);
        assertThat(engine.held()).as("released as usual").isEmpty();
    }

    @Test
    void fault582_lossDuringConfirmationRollsBackAtOnce() {
        for (Uni<String> call : List.of(guarded(), guardedMulti(), guardedStage())) {
            int before = rolledBack.size();
            begin(call);
            endAfterSuspension();
            backend.listener.lost(backend.last, "a test says so");
            assertThat(rolledBack).hasSize(before + 1).last()
                    .satisfies(loss -> assertThat(loss).hasMessageContaining("a test says so"));
            backend.ignore();
        }
        assertThat(committed).isEmpty();
        assertThat(rolledBack).hasSize(3);
        assertThat(results).hasSize(3);
    }

    @Test
    void fault582_cancellationDuringConfirmationRollsBackUniAtOnce() {
        Cancellable call = begin(guarded());
        endAfterSuspension();
        call.cancel();
        assertThat(rolledBack).singleElement().isInstanceOf(CancellationException.class);
        assertThat(engine.held()).isEmpty();
        backend.confirm();
        assertThat(committed).isEmpty();
        assertThat(rolledBack).hasSize(1);
        assertThat(results).isEmpty();
    }

    @Test
    void fault582_cancellationDuringConfirmationRollsBackPatientBody() {
        Cancellable call = begin(patient());
        endAfterSuspension();
        call.cancel();
        backend.confirm();
        assertThat(committed).isEmpty();
        assertThat(rolledBack).singleElement().isInstanceOf(CancellationException.class);
        assertThat(engine.held()).isEmpty();
    }

    /** Quarkus combines a failure that passes through its transaction with itself. */
    @Test
    void fault582_multiFailsWithLockLostExceptionItself() {
        begin(guardedMulti(failure -> new CompositeException(failure, failure)));
        endAfterSuspension();
        backend.ignore();
        assertUnconfirmed(results);
    }

    @Test
    void fault582_refusedCommitFailsAsUnconfirmed() {
        LockHold hold = engine.acquire().tryAcquire("a", settings);
        RollbackException refused = new RollbackException("refused");
        IllegalStateException wrapped = new IllegalStateException(refused);
        Throwable told = catchThrowable(() -> engine.scopes().run(hold, () -> {
            time.shiftWallClock(Duration.ofMinutes(10));
            refused.initCause(engine.validity().failure(hold));
            throw wrapped;
        }));
        assertUnconfirmed(List.of(told));
        assertThat(told).hasSuppressedException(wrapped);
    }

    /** The caller of the nested call recovers, and the lock is confirmed when the transaction ends. */
    @Test
    void fault582_recoveryFromUnconfirmedNestedCallStillRollsBack() {
        List<Object> doomed = new ArrayList<>();
        begin(engine.pipelines().locked(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return told(Pipelines.failingAtEnd(() -> Uni.createFrom().context(context -> nested(doomed, context, A))
                    .onFailure(LockLostException.class).recoverWithItem("recovered"), () -> Uni.createFrom().voidItem(),
                    pipeline));
        }));
        endAfterSuspension();
        backend.ignore();
        backend.confirm();
        assertThat(committed).isEmpty();
        assertUnconfirmed(doomed);
        assertThat(rolledBack).isEqualTo(doomed);
        assertThat(results).isEqualTo(doomed);
    }

    /** The nested call has joined the first lock, which is lost and only notifies. */
    @Test
    void fault582_lossThatOnlyNotifiesDoesNotHideUnconfirmedLock() {
        List<Object> doomed = new ArrayList<>();
        List<LockHold> outer = new ArrayList<>();
        HoldSettings careless = new ManagerDefaults("careless", Duration.ofSeconds(10), Duration.ofSeconds(30), true, null,
                OnLost.NOTIFY).with(LockOptions.DEFAULTS);
        begin(engine.pipelines().locked(A, careless, null, (held, pipeline) -> {
            outer.add(held.get(0));
            pipeline.beginPatientBody();
            return told(Pipelines.failingAtEnd(
                    () -> Uni.createFrom().context(context -> nested(doomed, context, "a", "b"))
                            .onFailure(LockLostException.class).recoverWithItem("recovered"),
                    () -> Uni.createFrom().voidItem(), pipeline));
        }));
        endAfterSuspension();
        backend.listener.lost(outer.get(0).lease().grant, "a test says so");
        backend.ignore();
        assertThat(committed).isEmpty();
        assertUnconfirmed(doomed);
    }

    private Uni<String> nested(List<Object> doomed, Context context, String... names) {
        OuterTransaction outer = new OuterTransaction(doomed::add, context, engine.validity());
        return engine.pipelines().locked(names, settings, null, (held, pipeline) -> {
            outer.under(held);
            pipeline.beginPatientBody();
            return Pipelines.failingAtEnd(() -> Uni.createFrom().completionStage(body), () -> Uni.createFrom().voidItem(),
                    pipeline);
        }).onTermination().invoke((item, failure, cancelled) -> outer.callEnded(failure));
    }

    private static void assertUnconfirmed(List<?> failures) {
        assertThat(failures).singleElement().satisfies(failure -> assertThat((Throwable) failure)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("could not be confirmed after the clocks diverged"));
    }

    @Test
    void fault582_lossOfOneLockDuringConfirmationFailsStageAtOnce() {
        body = new CompletableFuture<>();
        Held both = engine.acquire().take(new String[] { "a", "b" }, settings, new LockHold[2]);
        List<CompletionStage<String>> inside = new ArrayList<>();
        engine.stages().run(both, () -> {
            inside.add(engine.stages().failingInside(both, body));
            return inside.get(0);
        }, ItemCheck.ANY);
        time.advance(Duration.ofMillis(100));
        backend.confirm();
        endAfterSuspension();
        assertThat(backend.toRenew).as("asked about both").hasSize(2);
        backend.listener.lost(both.get(0).lease().grant, "a test says so");
        assertThat(inside.get(0)).failsWithin(Duration.ZERO).withThrowableThat().withMessageContaining("a test says so");
        assertThat(engine.held()).isEmpty();
    }

    /** The lock has been granted for longer than a moment. */
    private Cancellable begin(Uni<String> call) {
        body = new CompletableFuture<>();
        Cancellable begun = call.subscribe().with(results::add, results::add);
        time.advance(Duration.ofMillis(100));
        backend.confirm();
        return begun;
    }

    private void endAfterSuspension() {
        int before = backend.renewals;
        time.shiftWallClock(Duration.ofMinutes(10));
        body.complete("done");
        assertThat(backend.renewals).as("asked at once").isEqualTo(before + 1);
    }

    private Uni<String> patient() {
        return engine.pipelines().locked(A, settings, null, (held, pipeline) -> {
            pipeline.beginPatientBody();
            return patientBody(pipeline);
        });
    }

    private Uni<String> patientBody(Pipelines.Running pipeline) {
        return told(Pipelines.failingAtEnd(() -> Uni.createFrom().completionStage(body), () -> Uni.createFrom().voidItem(),
                pipeline));
    }

    private Uni<String> guarded() {
        return engine.pipelines().locked(A, settings, null,
                (held, pipeline) -> told(Pipelines.failingInside(Uni.createFrom().completionStage(body), pipeline)));
    }

    private Uni<String> told(Uni<String> transaction) {
        return transaction.onItem().invoke(committed::add).onFailure().invoke(rolledBack::add);
    }

    private Uni<String> guardedMulti() {
        return guardedMulti(UnaryOperator.identity());
    }

    private Uni<String> guardedMulti(UnaryOperator<Throwable> told) {
        return engine.pipelines().lockedMulti(A, settings, null, (held, pipeline) -> Pipelines
                .failingInside(Uni.createFrom().completionStage(body).toMulti(), pipeline)
                .onCompletion().invoke(() -> committed.add("done"))
                .onFailure().invoke(rolledBack::add)
                .onFailure().transform(told))
                .collect().last();
    }

    private Uni<String> guardedStage() {
        return Uni.createFrom().completionStage(() -> {
            LockHold hold = engine.acquire().tryAcquire("a", settings);
            return engine.stages().run(hold, () -> stageUnder(hold), ItemCheck.ANY);
        });
    }

    private CompletionStage<String> stageUnder(LockHold hold) {
        return engine.stages().failingInside(hold, body).whenComplete((item, failure) -> {
            if (failure == null) {
                committed.add(item);
            } else {
                rolledBack.add(failure);
            }
        });
    }
}
