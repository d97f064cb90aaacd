package io.quarkiverse.lock.jpa.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.support.OngoingWithdrawals;

/**
 * Names of which this JVM is taking something out of the database, or has to when the step that runs is done. What it wants
 * next of the same name comes after that, though it would have another connection: a claim that has timed out must not be in
 * the way of the next. And the JVM does not end before.
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

    /** Takes a claim out of the database; {@link #begin} was called. */
    public void withdraw(String id, Claim claim, Attempts attempts) {
        new Withdrawal(this, workers, removal, time, id, claim, attempts).start();
    }

    /** From now on what fails is not tried again. */
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

    /** One is done, or will take longer than anybody should wait for. */
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
            } catch (RuntimeException | Error e) { // the others waited as well, and nobody else would let them go on
                LOG.error("What waited for the withdrawal of a lock could not go on; please report this", e);
            }
        }
    }

    /** Nothing more is done about it. */
    public void end() {
        ongoing.end();
    }

    /** Runs it when there is none for this name: mostly now. It must not block. */
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

    /** Until all have ended. */
    public void await(Duration atMost) {
        ongoing.await(atMost);
    }
}
