package io.quarkiverse.lock.engine.acquire;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockTime;

/**
 * Takes several names on a thread that waits: in one step where that can be, else one after the other, in the same order as
 * everybody. If one of them is lost while the others are waited for, all are given back and it begins anew.
 * {@link AsyncAcquireAll} does the same without a thread.
 */
public final class BlockingAcquireAll {

    private final LockTime time;
    private final CallerThreads threads;
    private final Requests requests;
    private final Scopes scopes;
    private final BlockingAcquire acquire;
    private final BlockingRelease release;
    private final OneStepAcquireAll together;
    private final Validity validity;
    private final ErrorMessages errors;

    public BlockingAcquireAll(LockTime time, CallerThreads threads, Requests requests, Scopes scopes, BlockingAcquire acquire,
            BlockingRelease release, OneStepAcquireAll together, Validity validity, ErrorMessages errors) {
        this.time = time;
        this.threads = threads;
        this.requests = requests;
        this.scopes = scopes;
        this.acquire = acquire;
        this.release = release;
        this.together = together;
        this.validity = validity;
        this.errors = errors;
    }

    /**
     * All of the names, each with the caller as a user; or none, and the one that was refused.
     *
     * @param names in canonical order, see {@link NamesInOrder}
     * @param known for each name a hold to join if it is still live, or {@code null}
     * @throws LockLostException if one was lost, and there is no time left to begin anew
     * @throws LockBackendException if one could not be confirmed after a suspension of the machine, and there is no time left
     */
    public Holds take(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known) {
        return new Taking(names, settings, known).take();
    }

    /** One call. */
    private final class Taking {

        private final String[] names;
        private final HoldSettings settings;
        private final @Nullable LockHold @Nullable [] known;
        private final WaitBudget budget;

        private Taking(String[] names, HoldSettings settings, @Nullable LockHold @Nullable [] known) {
            this.names = names;
            this.settings = settings;
            this.known = known;
            this.budget = new WaitBudget(time, settings);
        }

        private Holds take() {
            for (;;) {
                Holds atOnce = atOnce();
                Holds holds = atOnce != null ? atOnce : oneByOne();
                if (holds.refused() != null || allSure(holds) && validity.noneLost(holds)) {
                    return holds;
                }
                RuntimeException failure = errors.notSure(holds, validity.lossForGood(holds, false));
                release.giveBack(holds); // only now, since that is no loss
                if (budget.over()) {
                    throw failure;
                }
            }
        }

        private boolean allSure(Holds holds) {
            for (LockHold doubtful : validity.inDoubt(holds)) {
                if (!validity.validOrConfirmed(doubtful)) {
                    return false;
                }
            }
            return true;
        }

        private Holds oneByOne() {
            Holds holds = new Holds(names.length);
            boolean taken = false;
            try {
                for (int i = 0; i < names.length && holds.refused() == null; i++) {
                    LockHold joined = join(i);
                    holds.add(joined != null ? joined : acquire.tryAcquire(names[i], budget.left()));
                }
                taken = holds.refused() == null;
                return holds;
            } finally {
                if (!taken) {
                    release.giveBack(holds);
                }
            }
        }

        /** {@code null} if they have to be taken one by one. */
        private @Nullable Holds atOnce() {
            if (threads.blockingForbidden() || Thread.currentThread().isInterrupted()) {
                return null; // which is found out for the first that is to be waited for
            }
            Thread caller = Thread.currentThread();
            HoldSettings left = budget.left();
            // The rest of the wait is for finding out why there is no answer
            long deadline = time.nanoTime() + requests.patience(left) / 2;
            OneStepAcquireAll.Attempt asked = together.start(names, left, this::join, caller,
                    over -> LockSupport.unpark(caller));
            if (asked == null) {
                return null;
            }
            while (!asked.over()) {
                boolean interrupted = Thread.currentThread().isInterrupted();
                long nanos = deadline - time.nanoTime();
                if ((interrupted || nanos <= 0) && asked.cancel()) {
                    if (interrupted) {
                        throw new LockInterruptedException(String.join(", ", names));
                    }
                    return null;
                }
                time.park(asked, nanos);
            }
            return asked.taken();
        }

        private @Nullable LockHold join(int index) {
            LockHold enclosing = scopes.enclosing(names[index], settings);
            if (enclosing != null && enclosing.enter()) {
                return enclosing;
            }
            LockHold bound = known == null ? null : known[index];
            return bound != null && bound.enterFor(settings) ? bound : null;
        }
    }
}
