package io.quarkiverse.lock.runtime.transaction;

import java.util.ArrayList;
import java.util.List;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import org.jspecify.annotations.Nullable;

/**
 * The checks of its locks that a transaction makes before it commits. A lock is often taken before anything else is registered
 * with its transaction, and later registrations run later: the flush of an ORM, observers, other resources. All of that is also
 * done under the lock, so the checks wait until it is over.
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
     * Called by the {@code beforeCompletion} of a synchronization: runs the look once nothing else remains to be done before
     * the commit. An exception turns the commit into a rollback.
     *
     * @param transaction the key of the lock's transaction, if known; if the current thread is not in that transaction, the
     *        look runs at once
     */
    public static void take(TransactionSynchronizationRegistry registry, @Nullable Object transaction, Runnable look) {
        if (transaction == null || !transaction.equals(registry.getTransactionKey())
                || registry.getTransactionStatus() != Status.STATUS_ACTIVE) {
            look.run(); // nothing can be registered here
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

    /**
     * The first time, this only registers itself again. The second time, it thus runs after the interposed synchronizations
     * that others have registered since the first lock's turn.
     */
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
        // the locks are notified by themselves
    }
}
