package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.spi.CallerWaits;
import io.quarkiverse.lock.spi.Outcome;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Work in the database, answered within the operation timeout whatever the database does. It is done even if nobody waits for
 * the answer any more.
 */
public abstract class Operation<T> extends AbstractUni<T> {

    final OperationRunner runner;

    public Operation(OperationRunner runner) {
        this.runner = runner;
    }

    /** On a worker, or on the thread of a waiting caller. */
    public abstract T run(long deadline) throws SQLException;

    abstract Throwable explained(Throwable failure);

    abstract Throwable timedOut();

    /** Not on the caller's thread. Runs {@code refused} instead if the threads have been shut down. */
    abstract void submit(Runnable step, Runnable refused);

    /** On the caller's thread; false if that is impossible. */
    abstract boolean onCallersThread(Runnable step);

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        var outcome = new Outcome<T>(subscriber);
        subscriber.onSubscribe(outcome);
        long deadline = runner.deadline();
        if (CallerWaits.in(subscriber.context()) && onCallersThread(() -> firstStep(outcome, deadline)) && outcome.over()) {
            return;
        }
        var timer = runner.time().schedule(Math.max(0, deadline - System.nanoTime()), () -> outcome.fail(timedOut()));
        try {
            submit(() -> {
                step(outcome, deadline);
                timer.cancel();
            }, () -> {
                timer.cancel();
                outcome.fail(timedOut());
            });
        } catch (RuntimeException | Error e) { // there may be no thread available
            timer.cancel();
            outcome.fail(explained(e));
        }
    }

    /** Leaves the outcome open if the connection was broken. */
    private void firstStep(Outcome<T> outcome, long deadline) {
        try {
            outcome.complete(run(deadline));
        } catch (SQLException | RuntimeException | Error e) {
            if (SqlFailure.of(e) != SqlFailure.CONNECTION || deadline - System.nanoTime() <= 0) {
                outcome.fail(explained(e));
            }
        }
    }

    private void step(Outcome<T> outcome, long deadline) {
        try {
            outcome.complete(run(deadline));
        } catch (SQLException | RuntimeException | Error e) {
            outcome.fail(explained(e));
        }
    }
}
