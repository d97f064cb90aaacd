package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;

/** What a body runs under: one hold, or one of each of several names. */
public sealed interface Held permits LockHold, Holds {

    /** The name or names, for messages. */
    String name();

    /**
     * The fencing token.
     *
     * @throws IllegalStateException if there are several names, each of which has its own
     */
    long fencingToken();

    /** The number of holds. */
    int size();

    /** One of the holds, in the order of their names. */
    LockHold get(int index);

    /** The refused hold, in which case there is no other; {@code null} if there is one of each name. */
    @Nullable
    LockHold refusedHold();

    /**
     * Whether the failure is the loss of one of them, or says that one could not be confirmed: another report of that would say
     * the same.
     */
    default boolean isLoss(Throwable failure) {
        if (failure instanceof LockLostException loss) {
            for (int i = 0; i < size(); i++) {
                if (get(i).name().equals(loss.lockName()) && mayBeLost(get(i))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean mayBeLost(LockHold hold) {
        HoldNews news = hold.newsIfAny();
        return hold.markedLost() || news != null && news.unconfirmed;
    }
}
