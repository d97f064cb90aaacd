package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.acquire.BlockingAnswers;
import io.quarkiverse.lock.engine.acquire.WaitBudget;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A lock is busy if the store says so, or if a hold of this JVM that is not in doubt blocks it. Otherwise it is unknown. */
class BusyOrUnknownTest {

    private static final Duration MOMENT = Duration.ofMillis(20);
    /** A quarter of the operation timeout. */
    private static final Duration FOR_AN_ANSWER = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    private UniAssertSubscriber<LockHandle> ask(LockManager locks, LockOptions options) {
        return locks.lock("a", options).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private UniAssertSubscriber<LockHandle> ask(Duration wait) {
        return ask(locks, LockOptions.DEFAULTS.withWaitFor(wait));
    }

    private static void assertBusy(UniAssertSubscriber<LockHandle> asked) {
        assertThat(asked.getFailure()).isInstanceOf(LockBusyException.class);
    }

    private static void assertUnknown(UniAssertSubscriber<LockHandle> asked) {
        assertThat(asked.getFailure()).isInstanceOf(LockBackendException.class).hasMessageContaining("'a'");
    }

    @Test
    void fault120_unansweredShortWaitIsNotBusy() {
        var asked = ask(MOMENT);
        time.advance(FOR_AN_ANSWER.minusMillis(2));
        asked.assertNotTerminated();
        time.advance(Duration.ofMillis(2));
        assertUnknown(asked);
    }

    @Test
    void fault120_shortWaitIsExtendedForFirstAnswer() {
        var taken = ask(MOMENT);
        time.advance(MOMENT.plus(MOMENT));
        taken.assertNotTerminated();
        backend.claim().heldBy("another JVM");
        time.advance(Duration.ofMillis(1));
        assertBusy(taken);
        var free = ask(MOMENT);
        time.advance(MOMENT.plus(MOMENT));
        backend.grant();
        assertThat(free.getItem().isValid()).isTrue();
    }

    @Test
    void fault120_waitIsBusyOnceStoreConfirmsIt() {
        var first = ask(MOMENT);
        backend.claim().heldBy("another JVM");
        time.advance(MOMENT);
        assertBusy(first);
        assertThat(first.getFailure()).hasMessageContaining("another JVM");
        var second = ask(MOMENT);
        backend.claim().heldBy(null);
        time.advance(MOMENT);
        assertBusy(second);
    }

    @Test
    void fault120_answersBeforeOutageDoNotCount() {
        var asked = ask(MOMENT);
        Claim claim = backend.claim();
        claim.heldBy("another JVM");
        claim.trouble(new IllegalStateException("cannot be reached"));
        time.advance(MOMENT);
        assertUnknown(asked);
        var again = ask(MOMENT);
        backend.claim().trouble(new IllegalStateException("cannot be reached"));
        backend.claim().stillTaken();
        time.advance(MOMENT);
        assertBusy(again);
    }

    @Test
    void fault120_localQueueIsUncertainUntilItsClaimIsAnswered() {
        var first = ask(LONG);
        var second = ask(MOMENT);
        time.advance(FOR_AN_ANSWER);
        assertUnknown(second);
        backend.claim().heldBy("another JVM");
        var third = ask(MOMENT);
        time.advance(MOMENT);
        assertBusy(third);
        assertThat(backend.asked).hasSize(1);
        first.assertNotTerminated();
    }

    @Test
    void fault120_immediateTryIsBusyBehindNewLocalQueue() {
        ask(LONG);
        assertBusy(ask(Duration.ZERO));
        time.advance(backend.operationTimeout());
        assertUnknown(ask(Duration.ZERO));
        backend.claim().heldBy(null);
        assertBusy(ask(Duration.ZERO));
        backend.claim().trouble(new LockBackendException("a", "Lock 'a': cannot be reached", null));
        assertUnknown(ask(Duration.ZERO));
    }

    @Test
    void fault120_localHoldMeansBusyUnlessInDoubt() {
        var pushing = new PushingBackend(); // never confirms anything
        LockEngine doubtful = LockEngine.builder(pushing).time(time).threads(CallerThreads.plain(Runnable::run)).start();
        LockManager there = doubtful.manager(ManagerDefaults.STANDARD);
        LockHandle held = ask(there, LockOptions.DEFAULTS).getItem();
        var behind = ask(there, LockOptions.DEFAULTS.withWaitFor(MOMENT));
        time.advance(MOMENT);
        assertBusy(behind);
        assertThat(behind.getFailure()).hasMessageContaining("this JVM");
        assertBusy(ask(there, LockOptions.DEFAULTS.withWaitFor(Duration.ZERO)));
        pushing.listener.suspect(pushing.last);
        assertThat(held.isValid()).isTrue();
        behind = ask(there, LockOptions.DEFAULTS.withWaitFor(MOMENT));
        time.advance(MOMENT);
        assertUnknown(behind);
        assertUnknown(ask(there, LockOptions.DEFAULTS.withWaitFor(Duration.ZERO)));
        held.close();
        doubtful.close();
    }

    @Test
    void fault120_localReaderBlocksWriterButNotReader() {
        LockOptions reading = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        ask(locks, reading);
        backend.grant();
        time.advance(Duration.ofSeconds(2)); // too long ago for another reader to join
        var reader = ask(locks, reading.withWaitFor(MOMENT));
        var writer = ask(locks, LockOptions.DEFAULTS.withWaitFor(MOMENT));
        time.advance(FOR_AN_ANSWER);
        assertUnknown(reader);
        assertBusy(writer);
    }

    /** None of them can use the claim of the one before it. */
    @Test
    void fault426_queuedCallersShareOneAnswerTimeout() {
        List<UniAssertSubscriber<LockHandle>> line = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            line.add(ask(locks, LockOptions.DEFAULTS.withWaitFor(MOMENT)
                    .withMode(i % 2 == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED)));
        }
        time.advance(FOR_AN_ANSWER.plus(MOMENT));
        line.forEach(BusyOrUnknownTest::assertUnknown);
        assertThat(backend.cancelled).containsExactlyElementsOf(backend.asked);
    }

    /** The store has answered the claim of the first, so it is not silent. */
    @Test
    void fault426_answerEndsBackendSilence() {
        var first = ask(MOMENT);
        var second = ask(locks, LockOptions.DEFAULTS.withWaitFor(LONG).withMode(LockMode.SHARED));
        time.advance(FOR_AN_ANSWER.minus(MOMENT));
        backend.claim().heldBy("another JVM");
        time.advance(MOMENT);
        assertBusy(first);
        second.assertNotTerminated();
        var third = ask(locks, LockOptions.DEFAULTS.withWaitFor(MOMENT));
        time.advance(MOMENT.plus(MOMENT));
        third.assertNotTerminated();
        backend.claim().heldBy("another JVM");
        time.advance(MOMENT);
        assertBusy(third);
    }

    @Test
    void fault120_remainingWaitIsNeverNegative() {
        WaitBudget budget = new WaitBudget(time, ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS.withWaitFor(MOMENT)));
        assertThat(budget.left().waitNanos()).isEqualTo(MOMENT.toNanos());
        time.advance(MOMENT.plus(MOMENT));
        assertThat(budget.left().waitNanos()).isZero();
    }

    @Test
    void unansweredInspectionReportsTimeout() {
        var answers = new BlockingAnswers(backend, new ErrorMessages(backend, time));
        assertThatThrownBy(() -> answers.await(Uni.createFrom().nothing(), "a")).isInstanceOf(LockBackendException.class)
                .hasMessageMatching(
                        "Lock 'a': backend 'answering' has not answered within 2.5.*s; check its connection settings");
    }
}
