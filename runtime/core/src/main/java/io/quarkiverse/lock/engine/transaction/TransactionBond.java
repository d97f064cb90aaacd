package io.quarkiverse.lock.engine.transaction;

import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Losses;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.spi.LockTransactions;
import io.quarkiverse.lock.spi.TransactionalBackend;

/**
 * Ties a hold to the transaction that has its lock: when the transaction ends, so does the hold. The hold counts as lost if a
 * body still runs under it, because others may then get the lock before the body ends; or if an open handle finds its
 * transaction rolled back.
 */
public final class TransactionBond implements LockTransactions.Completion {

    private static final int TAKING = 0;
    private static final int HELD = 1;
    private static final int ENDED = 2;

    final LockHold hold;
    private final TransactionalBackend backend;
    private final Validity validity;
    private final Losses losses;
    private final HandOver handOver;
    private final AtomicInteger state = new AtomicInteger(TAKING);
    private volatile int bodies;

    TransactionBond(LockHold hold, TransactionalBackend backend, Validity validity, Losses losses, HandOver handOver) {
        this.hold = hold;
        this.backend = backend;
        this.validity = validity;
        this.losses = losses;
        this.handOver = handOver;
    }

    /** Identifies the bond among the transaction's resources; the same name in another engine is another lock. */
    record Key(Object locks, String name) {
    }

    /** The lock was taken; {@code false} if the transaction has ended in the meantime. */
    boolean taken() {
        return state.compareAndSet(TAKING, HELD);
    }

    /** The lock was not taken. */
    void dissolve() {
        state.set(ENDED);
    }

    void bodyBegins() {
        bodies = bodies + 1; // only on the transaction's thread
    }

    void bodyEnds() {
        bodies = bodies - 1;
    }

    @Override
    public void beforeCommit() {
        if (state.get() != HELD) {
            return;
        }
        if (!hasLock()) {
            losses.lose(hold.lease(),
                    "the database has undone what its transaction had done, after an error that was caught or "
                            + "back to a savepoint from before the lock, or a statement has ended it");
        }
        if (hold.failsOnLoss() && !validity.validOrConfirmed(hold)) {
            throw validity.failure(hold);
        }
    }

    private boolean hasLock() {
        try {
            return backend.hasLock(hold.lease().grant);
        } catch (LockLostException gone) {
            losses.lose(hold.lease(), "the connection of its transaction was gone before the commit");
            throw gone;
        }
    }

    @Override
    public void ended(boolean committed) {
        if (state.getAndSet(ENDED) != HELD) {
            return;
        }
        hold.boundIn(null);
        boolean used = hold.usedByOthers();
        if (bodies > 0 || used && !committed) {
            backend.releaseNow(hold.lease().grant); // who still uses the hold no longer has the lock
            losses.lose(hold.lease(), committed ? "the transaction that held it was committed by the body itself"
                    : "the transaction that held it was rolled back meanwhile: it took too long, its connection broke, or the "
                            + "body did so itself");
            handOver.leave(hold);
        } else {
            handOver.finish(hold);
        }
    }
}
