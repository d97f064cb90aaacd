package io.quarkiverse.lock.runtime.transaction;

import java.util.ArrayList;
import java.util.List;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import org.jspecify.annotations.Nullable;

/**
 * The looks that a transaction takes at its locks before it commits. A lock is often taken before anything else is registered
 * with its transaction, and what is registered later runs later: the flush of an ORM, observers, other resources. All of that
 * is done under the lock as well, so the looks wait until it is over.
 */
public final class LastLook implements Synchronization {

    private final TransactionSynchronizationRegistry registry;
    private final List<Runnable> looks = new ArrayList<>(1);
    private boolean behindOthers;
    private boolean over;

    private LastLook(TransactionSynchronizationRegistry registry) {
        this.registry = registry;
    }

    /**
     * Called by the {@code beforeCompletion} of a synchronization: runs the look once nothing else is left to be done before
     * the commit. What it throws makes the commit a rollback.
     *
     * @param transaction the key of the transaction that the lock is of, if it was known; where the current thread is not in
     *        that transaction, the look is taken at once
     */
    public static void take(TransactionSynchronizationRegistry registry, @Nullable Object transaction, Runnable look) {
        if (transaction == null || !transaction.equals(registry.getTransactionKey())
                || registry.getTransactionStatus() != Status.STATUS_ACTIVE) {
            look.run(); // nothing can be registered from here
            return;
        }
        LastLook all = (LastLook) registry.getResource(LastLook.class);
        if (all == null) {
            all = new LastLook(registry);
            registry.putResource(LastLook.class, all);
            registry.registerInterposedSynchronization(all);
        } else if (all.over) {
            look.run();
            return;
        }
        all.looks.add(look);
    }

    /** The second time it is behind the interposed ones, too, that others have registered since the first lock's turn. */
    @Override
    public void beforeCompletion() {
        if (!behindOthers) {
            behindOthers = true;
            registry.registerInterposedSynchronization(this);
            return;
        }
        over = true;
        looks.forEach(Runnable::run);
    }

    @Override
    public void afterCompletion(int status) {
        // the locks hear of it by themselves
    }
}
