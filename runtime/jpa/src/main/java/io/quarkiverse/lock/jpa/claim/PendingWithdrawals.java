package io.quarkiverse.lock.jpa.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.OngoingWithdrawals;

/**
 * Names for which this JVM is withdrawing something from the database, or will when the running step ends. The JVM's next
 * request for such a name waits for that, although it could use another connection: a claim that has timed out must not block
 * the next one. A backend that closes waits too, for at most the operation timeout.
 */
public final class PendingWithdrawals {

    private static final Logger LOG = Logger.getLogger(PendingWithdrawals.class);

    private static final class Ongoing {
        private int count;
        private final List<Runnable> after = new ArrayList<>();
    }

    private final Workers workers;
    private final ClaimRemoval removal;
    private final LockTime time;
    final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Ongoing> byId = new HashMap<>();
    private final OngoingWithdrawals ongoing = new OngoingWithdrawals();

    public PendingWithdrawals(Workers workers, ClaimRemoval removal, LockTime time) {
        this.workers = workers;
        this.removal = removal;
        this.time = time;
    }

    /** Takes a claim out of the database; {@link #begin} was called before. */
    public void withdraw(String id, Claim claim, Attempts attempts) {
        new Withdrawal(this, workers, removal, time, id, claim, attempts).start();
    }

    /** From now on, failures are not retried. */
    public void close() {
        ongoing.close();
    }

    OngoingWithdrawals.Retries retries(Claim claim) {
        return ongoing.retries(claim, Steps.LONGEST_DELAY);
    }

    /** {@link #passed} and {@link #end} follow. */
    public void begin(String id) {
        lock.lock();
        try {
            byId.computeIfAbsent(id, each -> new Ongoing()).count++;
            ongoing.begin();
        } finally {
            lock.unlock();
        }
    }

    /** One is done, or will take longer than anyone should wait. */
    public void passed(String id) {
        List<Runnable> next;
        lock.lock();
        try {
            @Nullable
            Ongoing ongoing = byId.get(id);
            if (ongoing == null || --ongoing.count > 0) {
                return;
            }
            byId.remove(id);
            next = ongoing.after;
        } finally {
            lock.unlock();
        }
        for (Runnable each : next) {
            try {
                each.run();
            } catch (RuntimeException | Error e) { // the others waited too, and nothing else would let them continue
                LOG.error("What waited for the withdrawal of a lock could not go on; please report this", e);
            }
        }
    }

    /** No more attempts follow. */
    public void end() {
        ongoing.end();
    }

    /** Runs it once there is none for this name: mostly at once. It must not block. */
    public void after(String id, Runnable next) {
        lock.lock();
        try {
            Ongoing ongoing = byId.get(id);
            if (ongoing != null) {
                ongoing.after.add(next);
                return;
            }
        } finally {
            lock.unlock();
        }
        next.run();
    }

    public boolean ongoing(String id) {
        lock.lock();
        try {
            return byId.containsKey(id);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all have ended. */
    public void await(Duration atMost) {
        ongoing.await(atMost);
    }
}
