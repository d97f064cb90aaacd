package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.lock.spi.CallerWaits;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Something to do in the database, answered within the operation timeout whatever the database does. It is done even if nobody
 * waits for the answer any more.
 */
abstract class Operation<T> extends AbstractUni<T> {

    final JpaLockBackend backend;

    Operation(JpaLockBackend backend) {
        this.backend = backend;
    }

    /** On a worker, or on the thread of a caller that waits. */
    abstract T run(long deadline) throws SQLException;

    abstract Throwable explained(Throwable failure);

    abstract Throwable timedOut();

    /** Not on the caller's thread; {@code refused} instead if there are no threads any more. */
    void submit(Runnable step, Runnable refused) {
        if (!backend.database().workers().run(step)) {
            refused.run();
        }
    }

    /** On the caller's thread; false if that cannot be. */
    boolean here(Runnable step) {
        return backend.database().callerTurns().run(step);
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        var call = new Call(subscriber);
        subscriber.onSubscribe(call);
        long deadline = backend.database().deadline();
        if (CallerWaits.in(subscriber.context()) && here(() -> firstStep(call, deadline)) && call.over()) {
            return;
        }
        var timer = backend.time().schedule(Math.max(0, deadline - System.nanoTime()), () -> call.fail(timedOut()));
        submit(() -> {
            step(call, deadline);
            timer.cancel();
        }, () -> {
            timer.cancel();
            call.fail(timedOut());
        });
    }

    /** Leaves it open when it had a connection that was broken. */
    private void firstStep(Call call, long deadline) {
        try {
            call.complete(run(deadline));
        } catch (SQLException | RuntimeException e) {
            if (SqlFailure.of(e) != SqlFailure.CONNECTION || deadline - System.nanoTime() <= 0) {
                call.fail(explained(e));
            }
        }
    }

    private void step(Call call, long deadline) {
        try {
            call.complete(run(deadline));
        } catch (SQLException | RuntimeException e) {
            call.fail(explained(e));
        }
    }

    private final class Call implements UniSubscription {

        private final UniSubscriber<? super T> subscriber;
        private final AtomicBoolean over = new AtomicBoolean();

        Call(UniSubscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        boolean over() {
            return over.get();
        }

        void complete(T result) {
            if (over.compareAndSet(false, true)) {
                subscriber.onItem(result);
            }
        }

        void fail(Throwable failure) {
            if (over.compareAndSet(false, true)) {
                subscriber.onFailure(failure);
            }
        }

        @Override
        public void cancel() {
            over.set(true);
        }
    }
}
