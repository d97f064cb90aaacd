package io.quarkiverse.lock.jpa.operation;

import java.util.function.Predicate;

import io.quarkiverse.lock.jpa.claim.PendingWithdrawals;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.LockTime;

/** Decides on which thread, for how long and after what an operation runs. */
public final class OperationRunner {

    private final Steps steps;
    private final Statements statements;
    private final Workers workers;
    private final CallerTurns callerTurns;
    private final PendingWithdrawals withdrawals;
    private final LockTime time;
    private final ErrorMessages errors;

    public OperationRunner(Steps steps, Statements statements, Workers workers, CallerTurns callerTurns,
            PendingWithdrawals withdrawals, LockTime time, ErrorMessages errors) {
        this.steps = steps;
        this.statements = statements;
        this.workers = workers;
        this.callerTurns = callerTurns;
        this.withdrawals = withdrawals;
        this.time = time;
        this.errors = errors;
    }

    long deadline() {
        return steps.deadline();
    }

    Steps steps() {
        return steps;
    }

    Statements statements() {
        return statements;
    }

    LockTime time() {
        return time;
    }

    ErrorMessages errors() {
        return errors;
    }

    /** On the thread for renewals; false if the threads have been shut down. */
    boolean renew(Runnable step) {
        return workers.renew(step);
    }

    /** After the withdrawals of a name. Runs {@code refused} instead if the threads have been shut down. */
    void submit(String id, Runnable step, Runnable refused) {
        submit(workers::run, id, step, refused);
    }

    /** The same, on the thread for locks that nobody holds. */
    void submitIdle(String id, Runnable step, Runnable refused) {
        submit(workers::idle, id, step, refused);
    }

    private void submit(Predicate<Runnable> threads, String id, Runnable step, Runnable refused) {
        withdrawals.after(id, () -> {
            if (!threads.test(step)) {
                refused.run();
            }
        });
    }

    /** On the caller's thread; false if that is impossible. */
    boolean onCallersThread(String id, Runnable step) {
        return !withdrawals.ongoing(id) && callerTurns.run(step);
    }
}
