package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.spi.CallerWaits;
import io.quarkiverse.lock.spi.Outcome;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Something to do in the database, answered within the operation timeout whatever the database does. It is done even if nobody
 * waits for the answer any more.
 */
public abstract class Operation<T> extends AbstractUni<T> {

    final JpaLockBackend backend;

    public Operation(JpaLockBackend backend) {
        this.backend = backend;
    }

    /** On a worker, or on the thread of a caller that waits. */
    public abstract T run(long deadline) throws SQLException;

    public abstract Throwable explained(Throwable failure);

    public abstract Throwable timedOut();

    /** Not on the caller's thread; {@code refused} instead if there are no threads any more. */
    public void submit(Runnable step, Runnable refused) {
        if (!backend.database().workers().run(step)) {
            refused.run();
        }
    }

    /** On the caller's thread; false if that cannot be. */
    public boolean here(Runnable step) {
        return backend.database().callerTurns().run(step);
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        var outcome = new Outcome<T>(subscriber);
        subscriber.onSubscribe(outcome);
        long deadline = backend.database().deadline();
        if (CallerWaits.in(subscriber.context()) && here(() -> firstStep(outcome, deadline)) && outcome.over()) {
            return;
        }
        var timer = backend.time().schedule(Math.max(0, deadline - System.nanoTime()), () -> outcome.fail(timedOut()));
        submit(() -> {
            step(outcome, deadline);
            timer.cancel();
        }, () -> {
            timer.cancel();
            outcome.fail(timedOut());
        });
    }

    /** Leaves it open when it had a connection that was broken. */
    private void firstStep(Outcome<T> outcome, long deadline) {
        try {
            outcome.complete(run(deadline));
        } catch (SQLException | RuntimeException e) {
            if (SqlFailure.of(e) != SqlFailure.CONNECTION || deadline - System.nanoTime() <= 0) {
                outcome.fail(explained(e));
            }
        }
    }

    private void step(Outcome<T> outcome, long deadline) {
        try {
            outcome.complete(run(deadline));
        } catch (SQLException | RuntimeException e) {
            outcome.fail(explained(e));
        }
    }
}
