package io.quarkiverse.lock.engine.acquire;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.deadlock.FarWaits;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.LockTime.Timer;

/**
 * Waits that block no thread. The outcome of each, a granted or refused hold, is delivered once: on the calling thread if it is
 * known at once, else where the caller was when it asked. If no more work is accepted there, a granted hold goes back and
 * counts as refused, since user code must not run under it on a thread of the store. A hold lost by then is not delivered.
 */
public final class AsyncWaits {

    private static final int WAITING = 0;
    private static final int SETTLED = 1;
    /** Cancelled but not undone: it was not yet known what to undo, or the cancelling thread is about to undo it. */
    private static final int CANCELLED = 2;
    private static final int UNDONE = 3;

    private final LockTime time;
    private final Admission admission;
    private final HandOver handOver;
    private final Refusals refusals;
    private final ErrorMessages errors;
    private final @Nullable LongWaits longWaits;
    private final @Nullable FarWaits farWaits;

    public AsyncWaits(LockTime time, Admission admission, HandOver handOver,
            Refusals refusals, ErrorMessages errors,
            @Nullable LongWaits longWaits, @Nullable FarWaits farWaits) {
        this.time = time;
        this.admission = admission;
        this.handOver = handOver;
        this.refusals = refusals;
        this.errors = errors;
        this.longWaits = longWaits;
        this.farWaits = farWaits;
    }

    /** The caller that waits. */
    interface Caller {

        /**
         * Delivers the outcome, unless the wait {@linkplain Wait#cancel was cancelled}.
         *
         * @param late whether the caller may have been busy since: a grant may have ended by now
         */
        void settled(LockHold hold, boolean late);

        /** Called instead of {@link #settled} if the granted hold was lost before the outcome could be delivered. */
        void undelivered(RuntimeException why);

        /** The holds it does not give back while it waits. */
        List<LockHold> owned();
    }

    /** @param here where the caller was */
    Wait outcomeTo(Caller caller, Executor here) {
        return new Wait(caller, here);
    }

    final class Wait implements LockHold.Waiter, UnderWay {

        private final Caller caller;
        private final Executor here;
        private final AtomicInteger state = new AtomicInteger(WAITING);
        private volatile @Nullable LockHold hold;
        private volatile @Nullable Timer patience;
        private volatile LongWaits.@Nullable Waiter longWait;

        private Wait(Caller caller, Executor here) {
            this.caller = caller;
            this.here = here;
        }

        /** @param askedAt when the caller first asked for it */
        void start(String name, HoldSettings settings, long askedAt) {
            LockHold asked = admission.ask(name, settings, null, this, askedAt);
            hold = asked;
            if (state.get() == CANCELLED) {
                undo(asked);
            } else if (!asked.waiting()) {
                asked.forgetWaiter();
                if (state.compareAndSet(WAITING, SETTLED)) {
                    caller.settled(asked, false);
                }
            } else if (longWaits != null && settings.waitNanos() > LongWaits.LONG_NANOS && !caller.owned().isEmpty()) {
                lookThenEnd(longWaits, settings.waitNanos(), asked);
            } else {
                endIn(admission.patience(settings), asked);
            }
        }

        private void lookThenEnd(LongWaits longWaits, long nanos, LockHold asked) {
            long end = time.nanoTime() + nanos;
            patience = time.schedule(LongWaits.LONG_NANOS, () -> {
                endIn(end - time.nanoTime(), asked);
                LongWaits.Waiter known = longWaits.pipeline(asked, caller.owned(), time,
                        why -> admission.giveUp(asked, why), farWaits);
                longWait = known;
                if (state.get() != WAITING) {
                    known.over();
                }
            });
            if (state.get() != WAITING) {
                patience.cancel(); // it was over before the timer was known
            }
        }

        private void endIn(long nanos, LockHold asked) {
            patience = time.schedule(nanos, () -> {
                if (admission.answerDue(asked)) {
                    endIn(BlockingAcquire.FOR_AN_ANSWER, asked);
                } else if (admission.giveUp(asked, null)) {
                    settled(asked);
                }
            });
            if (state.get() != WAITING) {
                patience.cancel(); // it was over before the timer was known
            }
        }

        @Override
        public void settled(LockHold settledHold) {
            if (state.compareAndSet(WAITING, SETTLED)) {
                stopTimer();
                CallerRuns.run(here, () -> caller.settled(settledHold, true), rejection -> rejected(settledHold, rejection));
            }
        }

        private void rejected(LockHold settledHold, RejectedExecutionException rejection) {
            if (!settledHold.refused()) {
                RuntimeException why = errors.rejected(settledHold.name(), rejection);
                handOver.takeBack(settledHold, Refusal.failed(why), settledHold.grantedAt());
                if (!settledHold.refused()) { // it had already been lost
                    caller.undelivered(why);
                    return;
                }
            }
            caller.settled(settledHold, true);
        }

        /** A grant that has already arrived goes back. */
        @Override
        public boolean cancel() {
            if (!state.compareAndSet(WAITING, CANCELLED)) {
                return false;
            }
            LockHold asked = hold;
            if (asked != null) {
                undo(asked);
            }
            return true;
        }

        private void undo(LockHold asked) {
            if (state.compareAndSet(CANCELLED, UNDONE)) {
                stopTimer();
                if (!admission.giveUp(asked, null)) {
                    handOver.leaveUnused(asked);
                }
                if (asked.refused()) {
                    refusals.givenUp(asked);
                }
            }
        }

        private void stopTimer() {
            Timer timer = patience;
            if (timer != null) {
                timer.cancel();
            }
            LongWaits.Waiter known = longWait;
            if (known != null) {
                known.over();
            }
        }
    }
}
