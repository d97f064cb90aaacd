package io.quarkiverse.lock.engine.news;

import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;

/** Turns a refused hold into an event and an exception for its caller. */
public final class Refusals {

    private final Events events;
    private final ErrorMessages errors;
    private final LockTime time;

    public Refusals(Events events, ErrorMessages errors, LockTime time) {
        this.events = events;
        this.errors = errors;
        this.time = time;
    }

    /** Reports a busy lock; fails if something else kept the hold from being granted. */
    public void refused(LockHold hold) {
        Refusal refusal = hold.refusal();
        if (!refusal.busy()) {
            throw failed(hold, refusal.failure());
        }
        events.emit(Kind.BUSY, hold, time.nanoTime() - hold.requestedAt(), refusal.heldBy());
    }

    /** Like {@link #refused}, for a failure that is passed on instead of thrown. */
    public RuntimeException why(LockHold hold) {
        RuntimeException failure = hold.refusal().failure();
        if (failure != null) {
            return failed(hold, failure);
        }
        refused(hold);
        return errors.busy(hold);
    }

    /** Reports a wait that its caller has given up: nobody fails, and the wait is not counted. */
    public void givenUp(LockHold hold) {
        events.givenUp(hold);
    }

    private RuntimeException failed(LockHold hold, RuntimeException failure) {
        failed(hold, hold.requestedAt(), failure);
        return failure;
    }

    /** Reports a failure that is thrown anyway. */
    public void failed(LockHold hold, long requestedAt, RuntimeException failure) {
        events.emit(Kind.FAILED, hold, time.nanoTime() - requestedAt, failure.getMessage());
    }
}
