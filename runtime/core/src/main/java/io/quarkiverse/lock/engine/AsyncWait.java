package io.quarkiverse.lock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockTime.Timer;

/**
 * A wait that blocks no thread. Its outcome, a hold that is granted or refused, is delivered once: on the calling
 * thread when it is known at once, else where the caller was when it asked. If no more work is taken there, a hold that was
 * granted goes back and counts as refused, since nobody's code is to run under it on a thread of the store.
 */
final class AsyncWait implements Hold.Waiter {

    private final LockEngine engine;
    private final Consumer<Hold> outcome;
    private final Executor here;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile @Nullable Hold hold;
    private volatile boolean cancelled;
    private volatile @Nullable Timer patience;

    private AsyncWait(LockEngine engine, Consumer<Hold> outcome) {
        this.engine = engine;
        this.outcome = outcome;
        this.here = engine.threads().here();
    }

    /** @param outcome gets the hold; it is not called after {@link #cancel}, save when it is under way already */
    static AsyncWait start(LockEngine engine, String name, HoldSettings settings, Consumer<Hold> outcome) {
        AsyncWait wait = new AsyncWait(engine, outcome);
        wait.start(name, settings);
        return wait;
    }

    private void start(String name, HoldSettings settings) {
        Hold asked = engine.scopes().ask(name, settings, this);
        hold = asked;
        if (cancelled) {
            undo(asked);
        } else if (!asked.waiting()) {
            if (settled.compareAndSet(false, true)) {
                outcome.accept(asked);
            }
        } else {
            endIn(engine.scopes().patience(settings), asked);
        }
    }

    private void endIn(long nanos, Hold asked) {
        patience = engine.time().schedule(nanos, () -> {
            if (asked.queue.answerDue(asked)) {
                endIn(Scopes.FOR_AN_ANSWER, asked);
            } else if (asked.queue.giveUp(asked, null)) {
                settled(asked);
            }
        });
        if (settled.get()) {
            patience.cancel(); // it was settled before the timer was known
        }
    }

    @Override
    public void settled(Hold settledHold) {
        if (settled.compareAndSet(false, true)) {
            stopTimer();
            LedBack.run(here, () -> outcome.accept(settledHold), rejection -> {
                takeBack(settledHold, rejection);
                outcome.accept(settledHold);
            });
        }
    }

    private void takeBack(Hold settledHold, RejectedExecutionException rejection) {
        if (settledHold.live()) {
            settledHold.takeBack(Refusal.failed(engine.failures().rejected(settledHold.name(), rejection)),
                    settledHold.grantedAt());
        }
    }

    /** Gives up; a grant that is already there goes back. */
    void cancel() {
        cancelled = true;
        Hold asked = hold;
        if (asked != null) {
            undo(asked);
        }
    }

    private void undo(Hold asked) {
        if (settled.compareAndSet(false, true)) {
            stopTimer();
            if (!asked.queue.giveUp(asked, null)) {
                asked.leaveUnused();
            }
        }
    }

    private void stopTimer() {
        Timer timer = patience;
        if (timer != null) {
            timer.cancel();
        }
    }
}
