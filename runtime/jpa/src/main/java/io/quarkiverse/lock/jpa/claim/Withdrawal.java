package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.spi.Backoff;
import io.quarkiverse.lock.spi.Claim;

/**
 * Takes a claim that nobody wants any more out of the queue, or gives back what it was granted meanwhile: again and again,
 * until it is answered, and once more when nothing that was sent for the claim can be executed any more. Given up only when the
 * database does not allow it, or when everything of the claim has expired there.
 */
public final class Withdrawal implements Runnable {

    private static final Logger LOG = Logger.getLogger(JpaLockBackend.class);

    private final JpaLockBackend backend;
    private final String id;
    private final Claim claim;
    private final Attempts attempts;
    private final Backoff backoff = new Backoff(LockDatabase.LONGEST_DELAY);
    private final long until;
    private boolean tried;

    public Withdrawal(JpaLockBackend backend, String id, Claim claim, Attempts attempts) {
        this.backend = backend;
        this.id = id;
        this.claim = claim;
        this.attempts = attempts;
        this.until = System.nanoTime() + Math.max(TimeUnit.SECONDS.toNanos(60), claim.leaseNanos());
    }

    /** {@link PendingWithdrawals#begin} was called. */
    public void start() {
        if (!backend.database().workers().run(this)) {
            tried();
            backend.undoings().end();
        }
    }

    /** Once: others do not wait for more than the first attempt. */
    private void tried() {
        if (!tried) {
            tried = true;
            backend.undoings().passed(id);
        }
    }

    @Override
    public void run() {
        try {
            long open = attempts.openFor();
            ClaimRemoval.of(backend.database(), backend.database().deadline(), id, claim.token());
            tried();
            if (open > 0) {
                later(open + UncontendedAcquire.grace());
            } else {
                backend.undoings().end();
            }
        } catch (SQLException | RuntimeException e) {
            tried();
            SqlFailure kind = SqlFailure.of(e);
            boolean useless = kind == SqlFailure.REFUSED || kind == SqlFailure.DUPLICATE;
            if (useless || backend.closed() || System.nanoTime() - until >= 0) {
                LOG.debugf("Claim %s is left to expire: %s", claim, PrintableName.oneLine(String.valueOf(e.getMessage())));
                backend.undoings().end();
            } else {
                later(backoff.next());
            }
        }
    }

    private void later(long nanos) {
        backend.time().schedule(nanos, this::start);
    }
}
