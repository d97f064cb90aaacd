package io.quarkiverse.lock.engine.acquire;

import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Refusals;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockTime;

/** Takes a lock on a thread that waits for it. */
public final class BlockingAcquire {

    /** How soon to look again whether the store has answered, when the wait was too short for that. */
    static final long FOR_AN_ANSWER = TimeUnit.MILLISECONDS.toNanos(1);

    private final LockTime time;
    private final CallerThreads threads;
    private final Requests requests;
    private final Admission admission;
    private final Refusals refusals;
    private final ErrorMessages errors;

    public BlockingAcquire(LockTime time, CallerThreads threads, Requests requests, Admission admission, Refusals refusals,
            ErrorMessages errors) {
        this.time = time;
        this.threads = threads;
        this.requests = requests;
        this.admission = admission;
        this.refusals = refusals;
        this.errors = errors;
    }

    /**
     * Takes the lock, waiting on the current thread.
     *
     * @throws LockBusyException if the wait is over
     * @throws LockInterruptedException if the thread is interrupted, even before it has begun to wait; its flag is set
     */
    public LockHold acquire(String name, HoldSettings settings) {
        LockHold hold = tryAcquire(name, settings);
        if (hold.refused()) {
            throw errors.busy(hold);
        }
        return hold;
    }

    /** As {@link #acquire}, but a busy lock is a hold that {@linkplain LockHold#refused has been refused}. */
    public LockHold tryAcquire(String name, HoldSettings settings) {
        if (threads.blockingForbidden()) {
            throw threads.blockingRefused("Lock '" + PrintableName.of(name)
                    + "' cannot be waited for on an event loop: call this on a worker or virtual thread (@Blocking, "
                    + "@RunOnVirtualThread), or use acquireAsync(), callAsync() or a method that returns Uni");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(name); // whether or not the backend answers before anybody looks
        }
        LockHold hold = requests.ask(name, settings, Thread.currentThread(), null);
        if (hold.waiting()) {
            await(hold);
        }
        if (hold.refused()) {
            refusals.refused(hold);
        }
        return hold;
    }

    private void await(LockHold hold) {
        long deadline = hold.requestedAt() + requests.patience(hold.settings);
        while (hold.waiting()) {
            if (Thread.currentThread().isInterrupted()) {
                if (admission.giveUp(hold, null)) {
                    throw new LockInterruptedException(hold.name());
                }
                return; // granted at that moment: the caller gets it, with the flag still set
            }
            long left = deadline - time.nanoTime();
            if (left > 0) {
                time.park(hold, left);
            } else if (admission.answerDue(hold)) {
                time.park(hold, FOR_AN_ANSWER);
            } else {
                admission.giveUp(hold, null);
            }
        }
    }
}
