package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockDeadlockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.engine.deadlock.FarWaits;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.WaitNotes;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.NoNews;
import io.smallrye.mutiny.subscription.Cancellable;

/** A deadlock among callers of several JVMs is detected. For backends with {@link LockBackend#waitNotes}. */
public abstract class DeadlockContract extends ContractTest {

    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(PATIENCE);

    /** A caller that holds one lock, and requests another once all others hold theirs. */
    private final class Nested {

        final CompletableFuture<String> outcome;

        Nested(CountDownLatch all, DistributedLock outer, DistributedLock inner) {
            outcome = start(() -> outer.call(() -> {
                all.countDown();
                all.await();
                return inner.call(() -> "done");
            }));
        }
    }

    private Jvm detecting(String owner) {
        return jvm(owner, builder -> builder.longWaits(new LongWaits()));
    }

    private DistributedLock lock(Jvm jvm, String suffix) {
        return jvm.locks().lock(name() + suffix, PATIENT);
    }

    private DistributedLock reads(Jvm jvm, String suffix) {
        return jvm.locks().lock(name() + suffix, PATIENT.withMode(LockMode.SHARED));
    }

    /** The callers that were refused because of a deadlock, once all have ended. */
    private static List<LockDeadlockException> sentAway(Nested... all) throws Exception {
        List<LockDeadlockException> sentAway = new ArrayList<>();
        for (Nested each : all) {
            try {
                assertThat(get(each.outcome)).isEqualTo("done");
            } catch (LockDeadlockException e) {
                sentAway.add(e);
            }
        }
        return sentAway;
    }

    @Test
    @Fault(220)
    void fault220_oppositeLockOrdersInTwoJvmsAreDetected() throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        CountDownLatch both = new CountDownLatch(2);
        Nested here = new Nested(both, lock(one, "-a"), lock(one, "-b"));
        Nested there = new Nested(both, lock(two, "-b"), lock(two, "-a"));
        List<LockDeadlockException> sentAway = sentAway(here, there);
        assertThat(sentAway).singleElement().satisfies(each -> assertThat(each).hasMessageContainingAll("of jvm one holds '"
                + name() + "-a' and waits for '" + name() + "-b'",
                "of jvm two holds '" + name() + "-b' and waits for '" + name() + "-a'"));
    }

    /** On a busy machine only the quickest round counts; on an idle one, with {@code -Dlock.test.idle=true}, each does. */
    @Test
    @Fault(220)
    void fault220_repeatedDeadlocksAreDetectedQuickly(TestReporter reporter) throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        Duration best = PATIENCE;
        for (int i = 0; i < 5; i++) {
            long from = System.nanoTime();
            CountDownLatch both = new CountDownLatch(2);
            Nested here = new Nested(both, lock(one, "-a"), lock(one, "-b"));
            Nested there = new Nested(both, lock(two, "-b"), lock(two, "-a"));
            assertThat(sentAway(here, there)).hasSize(1);
            Duration taken = Duration.ofNanos(System.nanoTime() - from);
            reporter.publishEntry("two JVMs that waited for each other", taken.toMillis() + " ms");
            boolean warm = i > 0;
            assertThat(taken).isLessThan(warm && Boolean.getBoolean("lock.test.idle") ? Duration.ofSeconds(1) : PATIENCE);
            best = warm && taken.compareTo(best) < 0 ? taken : best;
        }
        assertThat(best).as("the quickest warm round").isLessThan(Duration.ofSeconds(5));
    }

    @Test
    @Fault(225)
    void fault225_deadlockOfThreeJvmsIsDetected() throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        Jvm three = detecting("jvm three");
        CountDownLatch all = new CountDownLatch(3);
        assertThat(sentAway(new Nested(all, lock(one, "-a"), lock(one, "-b")),
                new Nested(all, lock(two, "-b"), lock(two, "-c")),
                new Nested(all, lock(three, "-c"), lock(three, "-a")))).hasSize(1);
    }

    @Test
    @Fault(225)
    void fault225_cycleThroughTwoCallersOfOneJvmIsDetected() throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        CountDownLatch all = new CountDownLatch(3);
        assertThat(sentAway(new Nested(all, lock(one, "-a"), lock(one, "-b")),
                new Nested(all, lock(one, "-b"), lock(one, "-c")),
                new Nested(all, lock(two, "-c"), lock(two, "-a")))).hasSize(1);
    }

    /** One of the readers has to give way, or both. */
    @Test
    @Fault(226)
    @Needs(features = Feature.SHARED)
    void fault226_deadlockOfWriterAndTwoReadersIsDetected() throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        Jvm three = detecting("jvm three");
        CountDownLatch all = new CountDownLatch(3);
        assertThat(sentAway(new Nested(all, reads(one, "-a"), lock(one, "-b")),
                new Nested(all, reads(two, "-a"), lock(two, "-b")),
                new Nested(all, lock(three, "-b"), lock(three, "-a")))).hasSizeBetween(1, 2);
    }

    @Test
    @Fault(226)
    @Needs(features = Feature.SHARED)
    void fault226_deadlockOfReaderAndWriterIsDetected() throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        CountDownLatch both = new CountDownLatch(2);
        assertThat(sentAway(new Nested(both, reads(one, "-a"), lock(one, "-b")),
                new Nested(both, lock(two, "-b"), lock(two, "-a")))).hasSize(1);
    }

    @Test
    @Fault(224)
    void fault224_deadlockWithHandleIsOnlyReported() throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        CountDownLatch both = new CountDownLatch(2);
        LockOptions wait = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(20));
        CompletableFuture<LockHandle> handle = new CompletableFuture<>();
        try (LogLines log = LogLines.warnings(FarWaits.class.getName())) {
            CompletableFuture<String> here = start(() -> {
                try (LockHandle held = one.locks().lock(name() + "-a", wait).acquire()) {
                    handle.complete(held);
                    both.countDown();
                    both.await();
                    return one.locks().lock(name() + "-b", wait).call(() -> "done");
                }
            });
            Nested there = new Nested(both, lock(two, "-b"), lock(two, "-a"));
            Await.until("it is reported", SOON, () -> log.messages().stream()
                    .anyMatch(line -> line.contains("seem to wait for each other") && line.contains(name())));
            assertThat(here.isDone() || there.outcome.isDone()).isFalse();
            get(handle).close();
            assertThat(sentAway(there)).isEmpty();
            assertThat(outcome(here)).isIn("done", "busy");
        }
    }

    private static String outcome(CompletableFuture<String> here) throws Exception {
        try {
            return get(here);
        } catch (LockBusyException e) {
            return e instanceof LockDeadlockException ? "sent away" : "busy";
        }
    }

    @Test
    @Fault(222)
    void fault222_waitingForWorkingHolderIsNoDeadlock() throws Exception {
        Jvm one = detecting("jvm one");
        Jvm two = detecting("jvm two");
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch holds = new CountDownLatch(1);
        CompletableFuture<String> here = start(() -> lock(one, "-a").call(() -> {
            holds.countDown();
            goOn.await();
            return "done";
        }));
        holds.await();
        CompletableFuture<String> there = start(() -> lock(two, "-b").call(() -> lock(two, "-a").call(() -> "done")));
        WaitNotes notes = notes(environment().backend("looks"));
        Await.until("it has looked", SOON, () -> !line(notes, name() + "-a").waiters().isEmpty());
        assertThat(there.isDone()).isFalse();
        goOn.countDown();
        assertThat(get(here)).isEqualTo("done");
        assertThat(get(there)).isEqualTo("done");
    }

    // --- the notes themselves

    @Test
    @Fault(220)
    void fault220_noteIsRemovedWithItsClaim() throws Exception {
        LockBackend holder = environment().backend("the holder");
        WaitNotes notes = notes(holder);
        LockBackend waiting = environment().backend("the waiter");
        WaitNotes written = notes(waiting);
        Claim first = claim(1);
        Grant grant = (Grant) await(() -> holder.acquire(first).await().atMost(SOON));
        Claim second = claim(2);
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Cancellable wait = waiting.acquire(second).subscribe().with(answer::complete, answer::completeExceptionally);
        String note = "1;" + "x".repeat(WaitNotes.MAX_LENGTH - 12) + " %!'\"<@;";
        Await.until("it has a place", SOON, () -> written.note(second, "before").await().atMost(SOON));
        assertThat(written.note(second, note).await().atMost(SOON)).isTrue();

        WaitNotes.Line line = line(notes, name());
        assertThat(line.holders()).containsExactly(new WaitNotes.Holder(grant.fence(), LockMode.EXCLUSIVE, 0));
        assertThat(line.waiters()).singleElement().satisfies(each -> {
            assertThat(each.token()).isEqualTo(second.token());
            assertThat(each.note()).isEqualTo(note);
            assertThat(each.owner()).isEqualTo("the waiter");
        });
        assertThat(notes.note(first, note).await().atMost(SOON)).as("a holder has none").isFalse();
        assertThat(notes.note(claim(3), note).await().atMost(SOON)).as("a caller that does not wait has none").isFalse();
        assertThat(line(notes, name())).isEqualTo(line);
        assertThat(holder.inspect(name()).await().atMost(SOON)).hasValueSatisfying(info -> {
            assertThat(info.waiters()).isEqualTo(1);
            assertThat(info.holders()).hasSize(1);
        });

        wait.cancel();
        Await.until("it goes with the claim", SOON, () -> line(notes, name()).waiters().isEmpty());
        holder.release(grant).await().atMost(SOON);
        Await.until("nobody has it", SOON, () -> line(notes, name()).equals(WaitNotes.Line.NOBODY));
    }

    @Test
    @Fault(220)
    void fault220_grantedClaimHasNoNote() throws Exception {
        LockBackend holder = environment().backend("the holder");
        WaitNotes notes = notes(holder);
        Grant grant = (Grant) await(() -> holder.acquire(claim(1)).await().atMost(SOON));
        Claim second = claim(2);
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        holder.acquire(second).subscribe().with(answer::complete, answer::completeExceptionally);
        Await.until("it has a place", SOON, () -> notes.note(second, "1").await().atMost(SOON));
        holder.release(grant).await().atMost(SOON);
        Grant next = (Grant) get(answer);
        assertThat(notes.note(second, "2").await().atMost(SOON)).isFalse();
        assertThat(line(notes, name())).isEqualTo(new WaitNotes.Line(
                List.of(new WaitNotes.Holder(next.fence(), LockMode.EXCLUSIVE, 0)), List.of()));
        assertThat(holder.requestRelease(name()).await().atMost(SOON)).isTrue();
        assertThat(holder.renew(List.of(next)).await().atMost(SOON).renewed()).hasSize(1);
        holder.release(next).await().atMost(SOON);
    }

    private static Answer await(Callable<Answer> answer) throws Exception {
        try {
            return answer.call();
        } catch (CompletionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private Claim claim(long number) {
        return new Claim(name(), name().hashCode(), number, LockMode.EXCLUSIVE, 0, Duration.ofMinutes(1).toNanos(), true);
    }

    private WaitNotes notes(LockBackend backend) {
        SystemTime time = closeLater(new SystemTime());
        backend.start(new NoNews(), time);
        closeLater(backend);
        return Objects.requireNonNull(backend.waitNotes());
    }

    private static WaitNotes.Line line(WaitNotes notes, String name) {
        return Optional.ofNullable(notes.line(name).await().atMost(SOON)).orElseThrow();
    }
}
