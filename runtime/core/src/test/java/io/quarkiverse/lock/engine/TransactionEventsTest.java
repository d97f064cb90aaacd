package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.lease.Census.Count;
import io.quarkiverse.lock.engine.lease.Census.Group;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTransactions;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.smallrye.mutiny.Uni;

/** What listeners and callers learn about locks that live in transactions. */
class TransactionEventsTest {

    private static final HoldSettings ONCE = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS).waiting(Duration.ZERO);

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final ToldTraces traces = new ToldTraces();
    private final VirtualTime time = new VirtualTime();
    private final LockTransactions transactions = proxy(LockTransactions.class, (proxy, method, arguments) -> switch (method
            .getName()) {
        case "active" -> active();
        case "committable" -> committable();
        case "begin" -> begin();
        case "commit" -> end("commit", this.commitFailure);
        case "rollback" -> end("rollback", this.rollbackFailure);
        case "mayHoldRows" -> mayHoldRows();
        case "keep" -> keep(arguments[0], arguments[1]);
        case "find" -> kept().get(arguments[0]);
        case "register" -> register((LockTransactions.Completion) arguments[0]);
        default -> null;
    });
    private final TransactionalBackend backend = proxy(TransactionalBackend.class, (proxy, method, arguments) -> switch (method
            .getName()) {
        case "name" -> "rows";
        case "alternative" -> "";
        case "operationTimeout" -> Duration.ofSeconds(2);
        case "features" -> Set.of();
        case "tellsOfWaiters" -> true;
        case "hasLock" -> hasLock();
        case "takesTogether", "isLoss" -> false;
        case "silentFor" -> 0L;
        case "transactions" -> transactions();
        case "acquireNow" -> new Grant((Claim) arguments[0], 0, time().nanoTime());
        case "lock" -> lock((Grant) arguments[0]);
        case "renew" -> Uni.createFrom().nothing();
        case "release" -> Uni.createFrom().voidItem();
        case "start" -> listener = (BackendListener) arguments[0];
        default -> null;
    });
    private final LockEngine engine = LockEngine.builder(backend).time(time).listener(events::add)
            .tracing(traces).start();
    private LockEngine counted = engine;
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private BackendListener listener;
    private Duration wait = Duration.ofMillis(300);
    private boolean mayHoldRows;
    private boolean turnLost;
    private Runnable whileItWaits = () -> {
    };
    private RuntimeException failure;
    private RuntimeException keepFailure;
    private RuntimeException lookFailure;
    private Exception commitFailure;
    private RuntimeException rollbackFailure;
    private boolean active = true;
    private boolean committable = true;
    private RuntimeException beginFailure;
    private final List<String> ends = new ArrayList<>();
    private long fence = TransactionalBackend.BUSY;
    private LockTransactions.Completion completion;
    private List<LockTransactions.Completion> completions = new ArrayList<>();
    /** Kept by the current transaction. */
    private Map<Object, Object> kept = new HashMap<>();
    private List<HeldLock> heldMeanwhile;
    private Map<Group, Count> countedMeanwhile;
    private int waitingMeanwhile;

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
    }

    private LockTransactions transactions() {
        return transactions;
    }

    private VirtualTime time() {
        return time;
    }

    private long lock(Grant turn) {
        countedMeanwhile = counted.census().take();
        waitingMeanwhile = counted.census().waiting("a");
        heldMeanwhile = counted.manager(ManagerDefaults.STANDARD).held();
        whileItWaits.run();
        time.advance(wait);
        if (turnLost) {
            listener.lost(turn, "on purpose");
        }
        if (failure != null) {
            throw failure;
        }
        return fence;
    }

    private boolean mayHoldRows() {
        return mayHoldRows;
    }

    private Map<Object, Object> kept() {
        return kept;
    }

    private Object register(LockTransactions.Completion registered) {
        completion = registered;
        completions.add(registered);
        return null;
    }

    private Object keep(Object key, Object value) {
        if (keepFailure != null) {
            throw keepFailure;
        }
        return kept.put(key, value);
    }

    private boolean active() {
        return active;
    }

    private boolean committable() {
        return active && committable;
    }

    private Object begin() {
        if (beginFailure != null) {
            throw beginFailure;
        }
        active = true;
        return null;
    }

    private Object end(String how, Exception failing) throws Exception {
        ends.add(how);
        active = false;
        completion.ended(false);
        if (failing != null) {
            throw failing;
        }
        return null;
    }

    private boolean hasLock() {
        if (lookFailure != null) {
            throw lookFailure;
        }
        return true;
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** It bypasses the queue of its JVM, as its transaction may already hold rows. */
    @Test
    void fault473_holderOutsideTheQueueIsAskedToReleaseOnStop() {
        mayHoldRows = true;
        fence = 7;
        LockHandle hold = locks.lock("a").acquire();
        engine.drain(Duration.ZERO);
        assertThat(hold.isReleaseRequested()).isTrue();
        assertThat(events).extracting(LockEvent::kind).contains(Kind.RELEASE_REQUESTED);
        hold.close();
    }

    @Test
    void fault473_databaseWaiterSeesReleaseRequestedOnStop() {
        fence = 7;
        whileItWaits = () -> engine.drain(Duration.ZERO);
        LockHandle hold = locks.lock("a").acquire();
        assertThat(hold.isReleaseRequested()).isTrue();
        hold.close();
    }

    @Test
    void fault552_requestBeforeDatabaseAnswersIsDelivered() {
        fence = 7;
        whileItWaits = () -> engine.drain(Duration.ZERO);
        LockHandle hold = locks.lock("a").acquire();
        assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(Duration.ofMinutes(1));
        assertThat(events).extracting(LockEvent::kind).as("nothing was held then")
                .doesNotContain(Kind.RELEASE_REQUESTED);
        hold.close();
    }

    @Test
    void databaseFailureIsReported() {
        failure = new LockBackendException("a", "no connection", null);

        assertThatThrownBy(() -> locks.lock("a").acquire()).isSameAs(failure);

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.FAILED);
        assertThat(events.get(1).reason()).isEqualTo("no connection");
        assertThat(traces.told).startsWith("a requested", "a failed, no connection");
        assertThat(events.get(1).nanos()).as("the whole wait").isEqualTo(Duration.ofMillis(300).toNanos());
    }

    @Test
    void busyRowIsReported() {
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.BUSY);
        assertThat(traces.told).endsWith("a busy, a transaction of another JVM or connection");
    }

    /** Its wait for its turn in this JVM ends with its transaction: no holder is to blame. */
    @Test
    void fault565_transactionEndingInTheQueueIsReportedAsFailure() {
        fence = 7;
        LockHandle first = locks.lock("a").acquire();
        events.clear();
        kept = new HashMap<>(); // of another transaction
        var second = CompletableFuture.supplyAsync(() -> locks.lock("a").tryAcquire(Duration.ofSeconds(1)));
        while (time.parkedThreads() == 0) {
            Thread.onSpinWait();
        }
        active = false;
        time.advance(Duration.ofSeconds(1));

        assertThat(second).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockBackendException.class).withMessageContaining("its transaction was rolled back");
        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.FAILED);
        assertThat(events.get(1).nanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
        first.close();
    }

    @Test
    void queueWaiterWithLiveTransactionIsReportedBusy() {
        fence = 7;
        LockHandle first = locks.lock("a").acquire();
        events.clear();
        kept = new HashMap<>();
        var second = CompletableFuture.supplyAsync(() -> locks.lock("a").tryAcquire(Duration.ZERO));

        assertThat(second).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(Optional.empty());
        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.BUSY);
        first.close();
    }

    @Test
    void rowWaiterIsNotCountedAsHolder() {
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();

        assertThat(countedMeanwhile).containsOnly(entry(new Group("<default>", null), new Count(0, 1, 0)));
        assertThat(waitingMeanwhile).isEqualTo(1);
        assertThat(engine.census().take()).isEmpty();
        assertThat(engine.census().waiting("a")).isZero();
    }

    @Test
    void fault407_turnLastsForTheWholeWaitForTheRow() {
        wait = ManagerDefaults.STANDARD.lease().multipliedBy(3);
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.BUSY);

        fence = 7;
        assertThat(locks.lock("a").acquire().isValid()).isTrue();
        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.BUSY, Kind.REQUESTED,
                Kind.GRANTED);
        completion.ended(true);
    }

    @Test
    void fault407_lostTurnFailsTheAcquisition() {
        turnLost = true;
        assertThatThrownBy(() -> locks.lock("a").tryAcquire(Duration.ZERO)).isInstanceOf(LockLostException.class);

        fence = 7;
        assertThatThrownBy(() -> locks.lock("a").acquire()).isInstanceOf(LockLostException.class);
        assertThat(events).extracting(LockEvent::kind).doesNotContain(Kind.GRANTED);
        turnLost = false;
        assertThat(locks.lock("a").acquire().isValid()).isTrue();
        completion.ended(true);
    }

    @Test
    void fault183_fencingFloorDoesNotMakeWaiterAHolder() {
        try (LockEngine floored = LockEngine.builder(backend).time(time).listener(events::add).fencingFloor(5).start()) {
            counted = floored;
            assertThat(floored.manager(ManagerDefaults.STANDARD).lock("a").tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.BUSY);
            assertThat(countedMeanwhile).containsOnly(entry(new Group("<default>", null), new Count(0, 1, 0)));
            assertThat(heldMeanwhile).isEmpty();
        }
    }

    @Test
    void fault183_holdTimeExcludesTheWaitForTheRow() {
        fence = 7;
        LockHandle handle = locks.lock("a").acquire();
        time.advance(Duration.ofMillis(200));
        assertThat(locks.held()).extracting(HeldLock::heldFor).containsExactly(Duration.ofMillis(200));
        completion.ended(true);
        handle.close();

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.GRANTED, Kind.RELEASED);
        assertThat(events.get(1).nanos()).isEqualTo(Duration.ofMillis(300).toNanos());
        assertThat(events.get(2).nanos()).isEqualTo(Duration.ofMillis(200).toNanos());
    }

    @Test
    void fault183_failedRegistrationReportsNoRelease() {
        fence = 7;
        keepFailure = new IllegalStateException("the transaction takes no more");

        assertThatThrownBy(() -> locks.lock("a").acquire()).isSameAs(keepFailure);

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.FAILED);
        assertThat(locks.held()).isEmpty();
        keepFailure = null;
        assertThat(locks.lock("a").acquire().isValid()).as("the turn is free").isTrue();
        completion.ended(true);
        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.FAILED, Kind.REQUESTED,
                Kind.GRANTED, Kind.RELEASED);
    }

    @Test
    void fault318_lockGoneWithItsConnectionIsReportedLost() {
        fence = 7;
        lookFailure = new LockLostException("a", "no connection", null);
        LockHandle handle = locks.lock("a").acquire();

        assertThatThrownBy(completion::beforeCommit).isSameAs(lookFailure);

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED, Kind.GRANTED, Kind.LOST);
        assertThat(handle.isValid()).isFalse();
        completion.ended(false);
    }

    @Test
    void fault509_transactionWithUnfinishedResultFails() {
        fence = 7;
        active = false;

        assertThatThrownBy(() -> locks.lock("a").call(CompletableFuture::new)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Lock 'a'").hasMessageContaining("return the result itself");

        assertThat(ends).containsExactly("rollback");
    }

    @Test
    void fault319_failedCommitIsNotReportedAsRolledBack() {
        fence = 7;
        active = false;
        commitFailure = new Exception("one half is committed");

        assertThatThrownBy(() -> locks.lock("a").call(() -> "success")).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("'a'").hasMessageContaining("could not be committed")
                .hasMessageContaining("one half is committed").hasMessageNotContaining("kept").hasCause(commitFailure);
    }

    /** However often the lock is taken again there, for example by a method that is called in a loop. */
    @Test
    void nestedTransactionRegistersOnceForTheOuterLock() throws Exception {
        fence = 7;
        locks.lock("a").run(() -> {
            for (int transaction = 1; transaction <= 2; transaction++) {
                kept = new HashMap<>();
                completions = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    locks.lock("a").acquire().close();
                    locks.lock("a").run(() -> {
                    });
                }
                assertThat(completions).as("of nested transaction %d", transaction).hasSize(1);
            }
        });
    }

    @Test
    void fault554_fallbackRunsOutsideTheTransactionOfTheLock() throws Exception {
        assertThat(activeInstead()).as("in the caller's transaction").isTrue();
        active = false;
        assertThat(activeInstead()).isFalse();
    }

    @Test
    void fault554_fallbackFailureIsPropagatedUnchanged() {
        active = false;
        var failure = new IOException("on purpose");
        assertThatThrownBy(() -> engine.transactional().call("a", ONCE, refused -> {
            throw failure;
        }, () -> "under the lock")).isSameAs(failure).hasNoSuppressedExceptions();
    }

    @Test
    void fault554_fallbackIsSkippedIfRollbackFails() {
        active = false;
        rollbackFailure = new IllegalStateException("on purpose");
        assertThatThrownBy(this::activeInstead).isInstanceOf(LockBusyException.class)
                .hasSuppressedException(rollbackFailure);
    }

    private boolean activeInstead() throws Exception {
        return engine.transactional().call("a", ONCE, refused -> active, () -> {
            throw new AssertionError("it is busy");
        });
    }

    @Test
    void fault571_rollbackOnlyTransactionAsksForNoTurn() {
        committable = false;

        assertThatThrownBy(() -> locks.lock("a").acquire()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Lock 'a'").hasMessageContaining("can only be rolled back");
        assertThatThrownBy(() -> locks.lock("a").call(() -> "success")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Lock 'a'").hasMessageContaining("can only be rolled back");

        assertThat(events).isEmpty();
    }

    @Test
    void fault571_transactionThatTookTooLongIsExplained() {
        active = false;

        assertThatThrownBy(() -> locks.lock("a").acquire()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Lock 'a'").hasMessageContaining("@Transactional")
                .hasMessageContaining("quarkus.transaction-manager.default-transaction-timeout");
    }

    @Test
    void fault571_failureToBeginATransactionIsExplained() {
        active = false;
        beginFailure = new IllegalStateException("on purpose");

        assertThatThrownBy(() -> locks.lock("a").call(() -> "success")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Lock 'a'").hasMessageEndingWith("on purpose").hasCause(beginFailure);
    }

    @Test
    void interruptIsNotReportedAsFailure() {
        failure = new LockInterruptedException("a");

        assertThatThrownBy(() -> locks.lock("a").acquire()).isSameAs(failure);

        assertThat(events).extracting(LockEvent::kind).containsExactly(Kind.REQUESTED);
        assertThat(traces.told).startsWith("a requested").contains("a given up");
    }
}
