package io.quarkiverse.lock.engine;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockDeadlockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.deadlock.FarWaits;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** If callers in several JVMs wait for each other, exactly one of them fails, and never anyone else. */
class FarWaitsTest {

    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
    private static final LockOptions LONG = LockOptions.DEFAULTS.withWaitFor(Duration.ofDays(1));

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final NotingBackend.Shared shared = new NotingBackend.Shared();
    private final List<Jvm> jvms = new ArrayList<>();
    private final LoggedRecords log = new LoggedRecords(FarWaits.class);

    @AfterEach
    void close() {
        log.close();
        jvms.forEach(jvm -> jvm.engine.close());
    }

    /** An engine with its own client of the store and its own long waits. */
    private final class Jvm {

        final NotingBackend backend;
        final LongWaits waits = new LongWaits();
        final LockEngine engine;
        final LockManager locks;

        Jvm(String name) {
            backend = new NotingBackend(shared, new LocalBackend(store, name), name);
            engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).longWaits(waits)
                    .start();
            locks = engine.manager(ManagerDefaults.STANDARD);
            jvms.add(this);
        }

        NestedCalls nested(String outer, String inner) {
            return new NestedCalls(locks.lock(outer), locks.lock(inner));
        }

        NestedCalls nested(String outer, LockOptions outerOptions, String inner, LockOptions innerOptions) {
            return new NestedCalls(locks.lock(outer, outerOptions), locks.lock(inner, innerOptions));
        }
    }

    private final Jvm one = new Jvm("one");
    private final Jvm two = new Jvm("two");

    private void millis(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    private void asks(NestedCalls... inOrder) {
        for (NestedCalls each : inOrder) {
            each.asks();
            millis(1);
        }
    }

    // --- who fails

    @Test
    void fault220_deadlockOfTwoJvmsEndsWithinASecond() {
        NestedCalls elder = one.nested("a", "b");
        NestedCalls younger = two.nested("b", "a");
        asks(elder, younger);
        millis(297);
        assertThat(one.backend.notes + one.backend.lines + two.backend.notes + two.backend.lines)
                .as("queries before the first check").isZero();
        millis(500);
        assertThat(younger.outcome.getFailure()).isInstanceOf(LockDeadlockException.class).hasMessage(
                "Lock 'a' was not acquired because of a deadlock: callers in several JVMs wait for each other, and this call "
                        + "fails so that the others can continue: a pipeline of two holds 'b' and waits for 'a', a pipeline of "
                        + "one holds 'a' and waits for 'b'. Take the locks in the same order everywhere, or all at once "
                        + "(@Locked with all of the names, LockManager.all)");
        assertThat(elder.done()).isTrue();
        assertThat(log.warnings()).singleElement().asString().contains("Deadlock: ",
                "and the call of a pipeline failed: a pipeline of two holds");
        assertThat(one.waits.size() + two.waits.size()).isZero();
    }

    @Test
    void fault220_deadlockWithLongWaiterIsDetectedSoon() {
        NestedCalls elder = one.nested("a", "b");
        NestedCalls younger = two.nested("b", "c");
        NestedCalls third = two.nested("c", "d");
        elder.asks();
        millis(5_000);
        younger.asks();
        third.asks();
        assertThat(third.done() && younger.done() && elder.done()).isTrue();

        NestedCalls patient = one.nested("a", LONG, "b", LONG);
        NestedCalls late = two.nested("b", LONG, "a", LONG);
        patient.asks();
        millis(5_000);
        late.asks();
        millis(999);
        assertThat(late.sentAway()).isTrue();
        assertThat(patient.done()).isTrue();
    }

    @Test
    void fault225_deadlockOfThreeJvmsIsDetected() {
        Jvm three = new Jvm("three");
        NestedCalls first = one.nested("a", "b");
        NestedCalls second = two.nested("b", "c");
        NestedCalls third = three.nested("c", "a");
        asks(third, first, second);
        millis(900);
        assertThat(second.sentAway()).isTrue();
        assertThat(first.done() && third.done()).isTrue();
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void fault225_cycleThroughTwoCallersOfOneJvmIsDetected() {
        NestedCalls first = one.nested("a", "b"); // waits for the second, in its own JVM
        NestedCalls second = one.nested("b", "c");
        NestedCalls third = two.nested("c", "a");
        asks(first, second, third);
        millis(900);
        assertThat(third.sentAway()).isTrue();
        assertThat(first.done() && second.done()).isTrue();
    }

    @Test
    void fault225_cycleBehindUninvolvedLocalWaiterIsBroken() {
        NestedCalls before = one.nested("x", "b"); // blocks nobody
        NestedCalls elder = one.nested("a", "b");
        NestedCalls younger = two.nested("b", "a");
        asks(before, elder, younger);
        millis(900);
        assertThat(younger.sentAway()).isTrue();
        assertThat(before.done() && elder.done()).isTrue();
    }

    @Test
    void fault225_cycleOfOneAmongManyLocalWaitersIsBroken() {
        List<NestedCalls> many = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            many.add(one.nested("a-" + i, LONG, "b", LONG));
        }
        NestedCalls younger = two.nested("b", LONG, "a-13", LONG);
        many.forEach(NestedCalls::asks);
        millis(2_000);
        younger.asks();
        millis(3_000);
        assertThat(younger.sentAway()).isTrue();
        assertThat(many).allMatch(NestedCalls::done);
    }

    @Test
    void fault220_manyWaitersCostFewStoreRequests() {
        one.nested("hot", "x");
        List<NestedCalls> many = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            many.add(two.nested("own-" + i, LONG, "hot", LONG));
        }
        many.forEach(NestedCalls::asks);
        millis(10_000);
        assertThat(two.backend.lines).isBetween(500, 1_100);
        assertThat(two.backend.notes).isBetween(10, 1_100);
        many.forEach(each -> each.outcome.cancel());
    }

    /** Callers that hold nothing, or wait for their own JVM, send no queries and use up no checks of others. */
    @Test
    void fault220_uninvolvedWaitersDoNotDelayDetection() {
        one.nested("hot", "x");
        two.nested("here", "x");
        NestedCalls elder = one.nested("a", LONG, "b", LONG);
        NestedCalls younger = two.nested("b", LONG, "a", LONG);
        for (int i = 0; i < 500; i++) {
            two.locks.lock("hot", LONG).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
            two.nested("own-" + i, LONG, "here", LONG).asks();
        }
        millis(2_000);
        asks(elder, younger);
        millis(900);
        assertThat(younger.sentAway()).isTrue();
        assertThat(elder.done()).isTrue();
    }

    /** A pipeline that holds all of these, the first outermost. */
    private static Uni<String> under(LockManager locks, List<String> names, Supplier<Uni<String>> body) {
        return names.isEmpty() ? body.get()
                : locks.lock(names.get(0), LONG).callAsync(() -> under(locks, names.subList(1, names.size()), body));
    }

    @Test
    void fault225_ownHoldsAreNotedBeforeThoseOfManyWaiters() {
        for (List<String> held : List.of(List.of("a", "crowded"), List.of("crowded", "a"))) {
            CompletableFuture<Void> go = new CompletableFuture<>();
            UniAssertSubscriber<String> elder = under(one.locks, held, () -> Uni.createFrom().completionStage(go)
                    .chain(() -> one.locks.lock("b", LONG).callAsync(() -> Uni.createFrom().item("done"))))
                    .subscribe().withSubscriber(UniAssertSubscriber.create());
            NestedCalls younger = two.nested("b", LONG, "a", LONG);
            for (int i = 0; i < 100; i++) {
                one.nested("own-" + i, LONG, "crowded", LONG).asks();
            }
            millis(1_000);
            go.complete(null);
            millis(1);
            asks(younger);
            millis(900);
            assertThat(younger.sentAway()).as("%s", held).isTrue();
            assertThat(elder.getItem()).isEqualTo("done");
        }
    }

    // --- exactly one fails, and all JVMs choose the same one

    @Test
    void fault223_exactlyOneCallerFailsInAnyOrder() {
        for (String order : List.of("01", "10")) {
            for (int apart : List.of(0, 1, 30, 99, 100, 150, 299, 777)) {
                NestedCalls[] both = { one.nested("a", LONG, "b", LONG), two.nested("b", LONG, "a", LONG) };
                NestedCalls elder = both[order.charAt(0) - '0'];
                NestedCalls younger = both[order.charAt(1) - '0'];
                elder.asks();
                millis(apart);
                younger.asks();
                millis(900);
                assertThat(younger.sentAway()).as(order + " " + apart).isTrue();
                assertThat(elder.done()).as(order + " " + apart).isTrue();
            }
        }
        assertThat(log.warnings()).hasSize(16);
    }

    @Test
    void fault223_callerWithShortestWaitFails() {
        NestedCalls elder = one.nested("a", LockOptions.DEFAULTS, "b", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(9)));
        NestedCalls younger = two.nested("b", "a");
        asks(elder, younger);
        millis(900);
        assertThat(elder.sentAway()).isTrue();
        assertThat(younger.done()).isTrue();
        assertThat(log.warnings()).hasSize(1);
    }

    @Test
    void fault223_twoOverlappingCyclesNeedOneVictim() {
        Jvm three = new Jvm("three");
        NestedCalls reader = one.nested("a", SHARED, "b", LONG);
        NestedCalls other = two.nested("a", SHARED, "b", LONG);
        NestedCalls writer = three.nested("b", LONG, "a", LONG);
        asks(reader, other, writer);
        millis(900);
        assertThat(writer.sentAway()).isTrue();
        assertThat(reader.done() && other.done()).isTrue();
        assertThat(log.warnings()).hasSize(1);
    }

    // --- who does not fail

    @Test
    void fault221_noteOfFrozenJvmIsIgnored() {
        NestedCalls elder = one.nested("a", LONG, "b", LONG);
        NestedCalls younger = two.nested("b", LONG, "a", LONG);
        asks(elder);
        millis(310);
        one.backend.still = true; // its note stays
        younger.asks();
        millis(10_000);
        assertThat(younger.waits()).as("the other's lease expires by itself").isTrue();
        assertThat(log.warnings()).isEmpty();
        one.backend.still = false;
    }

    @Test
    void fault222_noVictimIfCallerProceedsBetweenChecks() {
        for (int goes : List.of(310, 350, 399, 400)) {
            NestedCalls elder = one.nested("a", "b");
            NestedCalls younger = two.nested("b", "a");
            asks(elder, younger);
            millis(goes - 2);
            assertThat(younger.waits()).as("%s", goes).isTrue();
            elder.outcome.cancel();
            millis(1_000);
            assertThat(younger.done()).as("%s", goes).isTrue();
        }
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void fault222_waiterForWorkingHolderIsNotFailed() {
        NestedCalls working = one.nested("a", "c");
        NestedCalls waiting = two.nested("b", "a");
        waiting.asks();
        millis(5_000);
        assertThat(waiting.waits()).isTrue();
        working.asks();
        assertThat(waiting.done()).isTrue();
    }

    @Test
    void fault226_waiterForWorkingReaderIsNotFailed() {
        NestedCalls reader = one.nested("a", SHARED, "b", LockOptions.DEFAULTS);
        NestedCalls other = one.nested("a", SHARED, "c", LockOptions.DEFAULTS);
        NestedCalls writer = two.nested("b", "a");
        asks(reader, writer);
        millis(2_000);
        assertThat(reader.waits() && writer.waits()).isTrue();
        other.asks();
        assertThat(other.done()).isTrue();
        millis(1_000);
        assertThat(writer.sentAway()).as("now they wait for each other").isTrue();
        assertThat(reader.done()).isTrue();
    }

    @Test
    void fault226_waiterBehindTimedWriterIsNotFailed() {
        NestedCalls reader = one.nested("a", SHARED, "b", LockOptions.DEFAULTS);
        NestedCalls younger = two.nested("b", LockOptions.DEFAULTS, "a", SHARED);
        UniAssertSubscriber<LockHandle> writer = new Jvm("three").locks
                .lock("a", LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(2))).acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        asks(reader, younger);
        millis(1_990);
        assertThat(reader.waits() && younger.waits()).isTrue();
        millis(10);
        assertThat(writer.getFailure()).isInstanceOf(LockBusyException.class);
        assertThat(younger.done() && reader.done()).isTrue();
    }

    @Test
    void fault226_waiterForLimitedLockIsNotFailed() {
        NestedCalls elder = one.nested("a", LockOptions.DEFAULTS.withLimit(1), "b", LockOptions.DEFAULTS);
        NestedCalls younger = two.nested("b", "a");
        asks(elder, younger);
        millis(2_000);
        assertThat(elder.waits() && younger.waits()).isTrue();
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void fault226_waiterForUnrenewedLeaseIsNotFailed() {
        NestedCalls elder = one.nested("a", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(2)).withRenew(false), "b",
                LockOptions.DEFAULTS);
        NestedCalls younger = two.nested("b", "a");
        asks(elder, younger);
        millis(1_500);
        assertThat(elder.waits() && younger.waits()).isTrue();
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void fault226_reentrantHoldStillCountsInCycle() {
        CompletableFuture<Void> go = new CompletableFuture<>();
        NestedCalls elder = one.nested("a", "b");
        UniAssertSubscriber<String> younger = two.locks.lock("b").callAsync(() -> two.locks.lock("b").callAsync(
                () -> Uni.createFrom().completionStage(go)
                        .chain(() -> two.locks.lock("a").callAsync(() -> Uni.createFrom().item("done")))))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        asks(elder);
        go.complete(null);
        millis(900);
        assertThat(younger.getFailure()).isInstanceOf(LockDeadlockException.class);
        assertThat(elder.done()).isTrue();
    }

    @Test
    void fault226_callerWithAnotherBranchIsNotFailed() {
        CompletableFuture<Void> go = new CompletableFuture<>();
        NestedCalls holder = two.nested("c", "x");
        UniAssertSubscriber<String> either = one.locks.lock("a").callAsync(() -> Uni.createFrom().completionStage(go)
                .chain(() -> Uni.join().first(one.locks.lock("b").callAsync(() -> Uni.createFrom().item("b")),
                        one.locks.lock("c").callAsync(() -> Uni.createFrom().item("c"))).withItem()))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        NestedCalls younger = two.nested("b", "a");
        go.complete(null);
        asks(younger);
        millis(2_000);
        assertThat(younger.waits()).isTrue();
        holder.asks();
        assertThat(either.getItem()).isEqualTo("c");
        assertThat(younger.done()).isTrue();
    }

    @Test
    void waiterWithoutHoldsSendsNoQueries() {
        NestedCalls holder = one.nested("a", "b");
        UniAssertSubscriber<LockHandle> waiting = two.locks.lock("a").acquireAsync().subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        millis(5_000);
        assertThat(two.backend.notes + two.backend.lines).isZero();
        holder.asks();
        waiting.assertCompleted().getItem().close();
    }

    /** A store may forget a note that is not rewritten. */
    @Test
    void fault221_noteIsRewrittenWhileItsCallerWaits() {
        one.nested("a", "b");
        NestedCalls waiting = two.nested("b", LONG, "a", LONG);
        waiting.asks();
        millis(120_000);
        assertThat(two.backend.notes).isBetween(4, 6);
        waiting.outcome.cancel();
        millis(60_000);
        assertThat(two.backend.notes).isBetween(4, 6);
    }

    // --- handles and Java locks

    /** A thread that locks one Java lock and then another, and unlocks both. */
    private static FutureTask<String> locksAsTheJdkDoes(Jvm jvm, String name, String outer, CountDownLatch both, String inner) {
        FutureTask<String> outcome = new FutureTask<>(() -> {
            Lock first = jvm.locks.lock(outer).asJavaLock();
            first.lock();
            try {
                both.countDown();
                both.await();
                jvm.locks.lock(inner).asJavaLock().lock();
                jvm.locks.lock(inner).asJavaLock().unlock();
                return "done";
            } finally {
                first.unlock();
            }
        });
        new Thread(outcome, name).start();
        return outcome;
    }

    private static String outcome(FutureTask<String> each) {
        try {
            return each.get();
        } catch (ExecutionException e) {
            return e.getCause() instanceof LockDeadlockException ? "sent away" : e.toString();
        } catch (InterruptedException e) {
            return e.toString();
        }
    }

    @Test
    void fault531_javaLockDeadlockIsBroken() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        List<FutureTask<String>> outcomes = List.of(locksAsTheJdkDoes(one, "Tom", "a", both, "b"),
                locksAsTheJdkDoes(two, "Ann", "b", both, "a"));
        both.await(); // time stands still while the threads start
        while (time.parkedThreads() < 2 && outcomes.stream().noneMatch(FutureTask::isDone)) {
            Thread.onSpinWait();
        }
        until(() -> !log.warnings().isEmpty());
        assertThat(log.warnings()).singleElement().asString().contains("Deadlock: ",
                "thread Ann of two holds 'b' and waits for 'a'",
                "thread Tom of one holds 'a' and waits for 'b'");
        until(() -> outcomes.stream().allMatch(FutureTask::isDone));
        assertThat(outcomes).extracting(FarWaitsTest::outcome).containsExactlyInAnyOrder("done", "sent away");
    }

    @Test
    void fault224_openHandleOnlyTriggersAWarning() throws Exception {
        CountDownLatch holds = new CountDownLatch(1);
        FutureTask<String> outcome = new FutureTask<>(() -> {
            try (LockHandle handle = one.locks.lock("a", LONG).acquire()) {
                holds.countDown();
                return one.locks.lock("b", LONG).call(() -> handle.isValid() ? "done" : "lost");
            }
        });
        NestedCalls younger = two.nested("b", LONG, "a", LONG);
        Thread elder = new Thread(outcome, "elder");
        elder.start();
        holds.await();
        until(() -> time.parkedThreads() == 1);
        younger.asks();
        until(() -> !log.warnings().isEmpty());
        millis(5_000);
        assertThat(log.warnings()).singleElement().asString().contains("seem to wait for each other",
                "a pipeline of two holds 'b' and waits for 'a'", "thread elder of one holds 'a' and waits for 'b'");
        assertThat(outcome.isDone()).isFalse();
        assertThat(younger.waits()).isTrue();
        younger.outcome.cancel();
        until(outcome::isDone);
        assertThat(outcome.get(1, MINUTES)).isEqualTo("done");
    }

    /** Lets time pass until the condition holds. */
    private void until(BooleanSupplier condition) {
        long end = System.nanoTime() + MINUTES.toNanos(1);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("gave up after a minute").isNegative();
            millis(10);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
