package io.quarkiverse.lock.jpa.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.ConnectionSource;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.jpa.operation.Inspection;
import io.quarkiverse.lock.jpa.operation.OperationRunner;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.ClaimProgress;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.TestTime;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** A claim that ends at the same time as its step, without a database. */
@Timeout(120)
class PendingClaimTest {

    private static final String ID = "id";

    private final LockTime time = new TestTime();
    private final Claim claim = new Claim("stock-7", 1, 2, LockMode.EXCLUSIVE, 0, Duration.ofSeconds(30).toNanos(), true);
    private final Attempts attempts = new Attempts();
    private final ClaimProgress progress = new ClaimProgress(time);
    private final PendingWithdrawals withdrawals = new PendingWithdrawals(null, null, time);
    private final JoinedLooks looks = new JoinedLooks(null, null, null, time);
    private final PendingClaim pending = new PendingClaim(claim, ID, null, attempts,
            new ClaimSteps(claim, ID, attempts, new Steps(null, null, null, null, 0, Duration.ofSeconds(2)), null, null, null,
                    null, null, null, time, null, "owner", null),
            progress, new ClaimRegistry(null, time, withdrawals), withdrawals, looks, null, null, null);
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Runnable> threads = new ArrayList<>();
    /** Stands for an OutOfMemoryError, on which JUnit itself would give up. */
    private final InternalError noThread = new InternalError("unable to create native thread: on purpose");
    /** Stands for a NoClassDefFoundError. */
    private final InternalError noClass = new InternalError("no class: on purpose");

    /** The test runs each thread itself, or no thread can be created. */
    private final class Threads implements ThreadFactory {

        private final boolean any;

        Threads(boolean any) {
            this.any = any;
        }

        @Override
        public Thread newThread(Runnable work) {
            if (!any) {
                throw noThread;
            }
            threads.add(work);
            return new Thread(() -> {
            });
        }
    }

    /** A database whose driver lacks a class. */
    private Steps lackingAClass() {
        ConnectionSource lacking = new ConnectionSource() {

            @Override
            public Connection take(long deadline) {
                throw noClass;
            }

            @Override
            public void giveBack(Connection connection, Throwable failure) {
            }
        };
        return new Steps(lacking, new PostgresLockDialect(), null, new CallerTurns(null, false, null), 0,
                Duration.ofSeconds(2));
    }

    private PendingClaim claim(Workers workers, Steps steps, PendingWithdrawals undoing, Consumer<Throwable> failed) {
        var errors = new ErrorMessages(JpaLockOptions.STANDARD, "tables", 1);
        var turns = new CallerTurns(null, false, null);
        UniSubscriber<Answer> subscriber = new UniSubscriber<>() {

            @Override
            public void onSubscribe(UniSubscription subscription) {
            }

            @Override
            public void onItem(Answer item) {
                throw new AssertionError(item);
            }

            @Override
            public void onFailure(Throwable failure) {
                failures.add(failure);
                failed.accept(failure);
            }
        };
        return new PendingClaim(claim, ID, subscriber, attempts, new ClaimSteps(claim, ID, attempts, steps, null, null, null,
                null, null, null, time, null, "owner", errors), new ClaimProgress(time),
                new ClaimRegistry(null, time, undoing), undoing, looks, workers, turns, errors);
    }

    private Workers workers(boolean any) {
        return new Workers(1, new Semaphore(1), new Threads(any));
    }

    private void nothingIsInTheWay(PendingWithdrawals undoing) {
        var next = new boolean[1];
        undoing.after(ID, () -> next[0] = true);
        assertThat(next[0]).as("the next operation").isTrue();
        assertThat(undoing.ongoing(ID)).isFalse();
    }

    @Test
    @Fault(195)
    void fault195_claimWithoutThreadFails() {
        claim(workers(false), lackingAClass(), withdrawals, failure -> {
        }).start();
        assertThat(failures).singleElement(THROWABLE).isInstanceOf(LockBackendException.class).hasRootCause(noThread);
        nothingIsInTheWay(withdrawals);
    }

    @Test
    @Fault(195)
    void fault195_claimFailsWhenItsStepLacksClass() {
        claim(workers(true), lackingAClass(), withdrawals, failure -> {
        }).start();
        threads.forEach(Runnable::run);
        assertThat(failures).singleElement(THROWABLE).isInstanceOf(LockBackendException.class).hasRootCause(noClass);
        nothingIsInTheWay(withdrawals);
    }

    @Test
    @Fault(195)
    void fault195_failedClaimBlocksNobodyWhenItsCallbackThrows() {
        PendingClaim failing = claim(workers(false), lackingAClass(), withdrawals, failure -> {
            throw noClass;
        });
        assertThatThrownBy(failing::start).isSameAs(noClass);
        nothingIsInTheWay(withdrawals);
    }

    @Test
    @Fault(195)
    void fault195_withdrawalWithoutThreadIsRetried() {
        var later = new VirtualTime();
        var undoing = new PendingWithdrawals(workers(false), null, later);
        attempts.sending(System.nanoTime());
        undoing.begin(ID);
        undoing.withdraw(ID, claim, attempts);
        nothingIsInTheWay(undoing);
        assertThat(later.timers()).as("the next attempt").isOne();
    }

    @Test
    @Fault(195)
    void fault195_withdrawalLackingClassIsRetried() {
        var later = new VirtualTime();
        var undoing = new PendingWithdrawals(workers(true), new ClaimRemoval(lackingAClass(), null, null), later);
        attempts.sending(System.nanoTime());
        undoing.begin(ID);
        undoing.withdraw(ID, claim, attempts);
        threads.forEach(Runnable::run);
        nothingIsInTheWay(undoing);
        assertThat(later.timers()).as("the next attempt").isOne();
    }

    @Test
    @Fault(195)
    void fault195_failingContinuationDoesNotBlockTheNext() {
        var next = new boolean[1];
        withdrawals.begin(ID);
        withdrawals.after(ID, () -> {
            throw noThread;
        });
        withdrawals.after(ID, () -> next[0] = true);
        withdrawals.passed(ID);
        assertThat(next[0]).isTrue();
    }

    @Test
    @Fault(195)
    void fault195_operationWithoutThreadFails() {
        var errors = new ErrorMessages(JpaLockOptions.STANDARD, "tables", 1);
        var runner = new OperationRunner(lackingAClass(), null, workers(false), new CallerTurns(null, false, null), withdrawals,
                time,
                errors);
        var inspecting = new Inspection(runner, "stock-7", ID).subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        assertThat(inspecting.getFailure()).isInstanceOf(LockBackendException.class).hasRootCause(noThread);
    }

    @Test
    @Fault(185)
    void fault185_claimEndingWithItsStepBlocksNobody() throws Exception {
        progress.begin(); // its step runs
        var caller = new Thread(pending::cancel);
        withdrawals.lock.lock();
        try {
            caller.start();
            Await.until("the claim is about to be undone", Duration.ofSeconds(60),
                    () -> withdrawals.lock.hasQueuedThread(caller));
            pending.run(); // the step ends
        } finally {
            withdrawals.lock.unlock();
        }
        caller.join();
        assertThat(withdrawals.ongoing(ID)).isFalse();
    }

    @Test
    void nextOperationWaitsForRunningStep() {
        progress.begin();
        pending.cancel();
        var next = new boolean[1];
        withdrawals.after(ID, () -> next[0] = true);
        assertThat(next[0]).isFalse();
        pending.run();
        assertThat(next[0]).isTrue();
    }
}
