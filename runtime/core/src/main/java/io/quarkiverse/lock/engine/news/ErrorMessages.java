package io.quarkiverse.lock.engine.news;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockDeadlockException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkiverse.lock.text.PrintableName;

/** The messages for callers that do not get a lock. */
public final class ErrorMessages {

    private final String backend;
    private final @Nullable TransactionalBackend inTransactions;
    private final long patienceNanos;
    private final LockTime time;

    public ErrorMessages(LockBackend backend, LockTime time) {
        this.backend = backend.name();
        this.inTransactions = backend instanceof TransactionalBackend own ? own : null;
        this.patienceNanos = backend.operationTimeout().toNanos() / 4;
        this.time = time;
    }

    /**
     * The wait is over. The lock is busy if the store has said so, or if a hold of this JVM that is not in doubt is in the way;
     * otherwise nobody knows.
     *
     * @param first the first in line in this JVM
     */
    public Refusal waitOver(LockHold first, @Nullable Lease lease, @Nullable ClaimAttempt attempt) {
        if (inTheWay(lease, first)) {
            return behind(lease);
        }
        return attempt == null || attempt.claim.taken() ? busy(attempt) : Refusal.failed(unreachable(attempt));
    }

    /**
     * Like {@link #waitOver}, for a caller that does not wait at all. The line ahead of it is this JVM's, whose claim may have
     * been sent only just now.
     */
    public Refusal noWait(LockHold first, @Nullable Lease lease, @Nullable ClaimAttempt attempt) {
        if (inTheWay(lease, first)) {
            return behind(lease);
        }
        return attempt == null || attempt.claim.taken() || attempt.claim.trouble() == null && justAsked(attempt)
                ? busy(attempt)
                : Refusal.failed(unreachable(attempt));
    }

    /** Whether the wait was so short that the store's first answer may still be on its way. */
    public boolean answerDue(LockHold first, @Nullable Lease lease, @Nullable ClaimAttempt attempt) {
        if (inTheWay(lease, first)) {
            long silence = silence(lease);
            return silence > 0 && silence < patienceNanos;
        }
        return attempt != null && !attempt.claim.taken() && attempt.claim.trouble() == null
                && justAsked(attempt);
    }

    private static boolean inTheWay(@Nullable Lease lease, LockHold first) {
        return lease != null && !lease.holder().settings.goesWith(first.settings);
    }

    /** Where locks live in transactions: how long the store's answer to the caller whose turn it is here has been overdue. */
    private long silence(Lease lease) {
        return inTransactions == null ? 0 : inTransactions.silentFor(lease.grant);
    }

    private boolean justAsked(ClaimAttempt attempt) {
        return time.nanoTime() - attempt.askedSince() < patienceNanos;
    }

    private Refusal busy(@Nullable ClaimAttempt attempt) {
        return Refusal.busy(attempt == null ? null : attempt.claim.heldByNow(time));
    }

    private Refusal behind(Lease lease) {
        String name = lease.grant.name();
        long silence = silence(lease);
        if (silence >= patienceNanos && silence > 0) {
            return Refusal.failed(new LockBackendException(name, "Lock '" + PrintableName.of(name)
                    + "': another caller in this JVM has asked backend '" + backend + "' for it, which has not answered for "
                    + PrintableDuration.ofNanos(silence) + "; check its connection settings", null));
        }
        if (!lease.holder().inDoubt()) {
            return Refusal.busy(holderHere(lease));
        }
        return Refusal.failed(new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': it is held by "
                + holderHere(lease) + ", and backend '" + backend
                + "' no longer confirms that; check its connection settings", null));
    }

    /** The backend has granted it, but so late that the grant is nearly over. */
    public Refusal tooLate(String name) {
        return Refusal.failed(new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': backend '"
                + backend
                + "' answered so late that most of the lease was over; raise quarkus.lock.lease, or find out what delays it",
                null));
    }

    private LockBackendException unreachable(ClaimAttempt attempt) {
        String name = attempt.claim.name();
        Throwable trouble = attempt.claim.trouble();
        if (trouble instanceof LockBackendException known) {
            return new LockBackendException(name, known.getMessage(), known);
        }
        return new LockBackendException(name,
                "Lock '" + PrintableName.of(name) + "': backend '" + backend + "' has not answered within "
                        + PrintableDuration.ofNanos(time.nanoTime() - attempt.askedSince())
                        + "; check its connection settings, or wait longer (waitFor, quarkus.lock.wait)",
                trouble);
    }

    /** It was granted, perhaps long ago, but whether it is still held could not be determined. */
    public LockBackendException unconfirmed(String name) {
        return new LockBackendException(name,
                "Lock '" + PrintableName.of(name) + "': backend '" + backend
                        + "' granted it while this machine was suspended, or its "
                        + "clock was set, and has not confirmed it since. Try again, or give the lock a wait (quarkus.lock.wait)",
                null);
    }

    /** A lock was lost while others, or its caller, were waited for, or could not be confirmed. */
    public RuntimeException notSure(Held held, @Nullable LockLostException loss) {
        return loss != null ? loss : unconfirmed(held.name());
    }

    /** For a request that is not a claim: an inspection, a forced release. */
    public LockBackendException silent(String name, Duration waited) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': backend '" + backend
                + "' has not answered within " + PrintableDuration.of(waited) + "; check its connection settings", null);
    }

    public RuntimeException ofBackend(String name, Throwable failure) {
        if (failure instanceof LockBackendException known) {
            return known;
        }
        return new LockBackendException(name,
                "Lock '" + PrintableName.of(name) + "': backend '" + backend + "' failed: " + failure, failure);
    }

    /** Describes the holder in this JVM. */
    @Nullable
    public String holderHere(@Nullable Lease lease) {
        if (lease == null) {
            return null;
        }
        LockHold holder = lease.holder();
        String held = PrintableDuration.heldBy("this JVM", time.nanoTime() - holder.grantedAt());
        return holder.madeByCurrentThread()
                ? held + ", taken by this same thread: a lock taken with acquire() is not re-entrant, "
                        + "use @Locked or call() for nested calls"
                : held;
    }

    public LockBusyException busy(LockHold hold) {
        String circle = hold.refusal().deadlock();
        if (circle != null) {
            return new LockDeadlockException(hold.name(), circle);
        }
        String by = hold.refusal().heldBy();
        return new LockBusyException(hold.name(), "Lock '" + PrintableName.of(hold.name()) + "' is "
                + (hold.settings.waitNanos() == 0 ? "busy"
                        : "still busy after " + PrintableDuration.ofNanos(time.nanoTime() - hold.requestedAt()))
                + (by == null ? "" : ": held by " + by));
    }

    /** The lock was requested in the body of the pipeline that has it. */
    public LockBusyException busyWithItsPipeline(LockBusyException busy) {
        return new LockBusyException(busy.lockName(), busy.getMessage()
                + ", in the pipeline from which this is called: what is "
                + "awaited or subscribed to there does not belong to it and is not nested. Return the Uni instead, or chain it");
    }

    public ClosingException closing(String name) {
        return new ClosingException(name);
    }

    /** @param names the name of one lock, or the names of several that were granted together */
    public IllegalStateException rejected(String names, RejectedExecutionException rejection) {
        return new IllegalStateException("Lock '" + PrintableName.of(names) + "' was granted and is released again: the "
                + "executor on which its caller continues accepts no more work, because it is shut down or its queue is full",
                rejection);
    }
}
