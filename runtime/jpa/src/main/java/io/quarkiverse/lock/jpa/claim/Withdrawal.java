package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;

import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.OngoingWithdrawals;

/**
 * Takes an unwanted claim out of the queue, or gives back what it was granted meanwhile. Retries until it gets an answer, and
 * runs once more when nothing that was sent for the claim can be executed any more. Gives up only when the database forbids it,
 * or when everything of the claim has expired there.
 */
public final class Withdrawal implements Runnable {

    private final PendingWithdrawals pending;
    private final Workers workers;
    private final ClaimRemoval removal;
    private final LockTime time;
    private final String id;
    private final Claim claim;
    private final Attempts attempts;
    private final OngoingWithdrawals.Retries retries;
    private boolean tried;

    public Withdrawal(PendingWithdrawals pending, Workers workers, ClaimRemoval removal, LockTime time, String id, Claim claim,
            Attempts attempts) {
        this.pending = pending;
        this.workers = workers;
        this.removal = removal;
        this.time = time;
        this.id = id;
        this.claim = claim;
        this.attempts = attempts;
        this.retries = pending.retries(claim);
    }

    /** {@link PendingWithdrawals#begin} was called before. */
    public void start() {
        try {
            if (!workers.run(this)) {
                tried();
                pending.end();
            }
        } catch (RuntimeException | Error e) { // there may be no thread available
            failed(e);
        }
    }

    /** Only once: others wait for the first attempt only. */
    private void tried() {
        if (!tried) {
            tried = true;
            pending.passed(id);
        }
    }

    @Override
    public void run() {
        try {
            long open = attempts.openFor();
            removal.remove(id, claim.token());
            tried();
            if (open > 0) {
                later(open + UncontendedAcquire.grace());
            } else {
                pending.end();
            }
        } catch (SQLException | RuntimeException | Error e) {
            failed(e);
        }
    }

    private void failed(Throwable failure) {
        tried();
        retries.next(failure, useless(failure)).ifPresentOrElse(this::later, pending::end);
    }

    /**
     * An {@link Error} says nothing about the database: what this JVM lacks now, it may have later. What a demoted server has
     * replicated is also in its successor, where the next connection may lead.
     */
    private static boolean useless(Throwable failure) {
        if (failure instanceof Error || SqlFailure.readOnly(failure)) {
            return false;
        }
        SqlFailure kind = SqlFailure.of(failure);
        return kind == SqlFailure.REFUSED || kind == SqlFailure.DUPLICATE;
    }

    private void later(long nanos) {
        time.schedule(nanos, this::start);
    }
}
