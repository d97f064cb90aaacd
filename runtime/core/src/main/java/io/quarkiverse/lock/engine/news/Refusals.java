package io.quarkiverse.lock.engine.news;

import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;

/** What is made of a hold that was refused: an event, and what its caller is told. */
public final class Refusals {

    private final Events events;
    private final ErrorMessages errors;
    private final LockTime time;

    public Refusals(Events events, ErrorMessages errors, LockTime time) {
        this.events = events;
        this.errors = errors;
        this.time = time;
    }

    /** Tells of a busy lock; fails if it was something else that kept the hold from being granted. */
    public void refused(LockHold hold) {
        Refusal refusal = hold.refusal();
        if (!refusal.busy()) {
            throw failed(hold, refusal.failure());
        }
        events.emit(Kind.BUSY, hold, time.nanoTime() - hold.requestedAt(), refusal.heldBy());
    }

    /** As {@link #refused}, for a failure that is passed on instead of thrown. */
    public RuntimeException why(LockHold hold) {
        RuntimeException failure = hold.refusal().failure();
        if (failure != null) {
            return failed(hold, failure);
        }
        refused(hold);
        return errors.busy(hold);
    }

    /** Tells of a wait that its caller has given up: nobody fails, and the wait is in no count. */
    public void givenUp(LockHold hold) {
        events.givenUp(hold);
    }

    private RuntimeException failed(LockHold hold, RuntimeException failure) {
        failed(hold, hold.requestedAt(), failure);
        return failure;
    }

    /** Tells of a failure that is thrown anyway. */
    public void failed(LockHold hold, long requestedAt, RuntimeException failure) {
        events.emit(Kind.FAILED, hold, time.nanoTime() - requestedAt, failure.getMessage());
    }
}
