package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.smallrye.mutiny.Uni;

/** What a body runs under: one hold, or one of each of several names. */
public sealed interface Held permits Hold, Holds {

    /** The name, or all of them, for messages. */
    String name();

    /** How many holds it is. */
    int size();

    /** One of the holds, in the order of their names. */
    Hold get(int index);

    /** Leaves all of them, the last one first; ends when the backend has answered. As {@link Hold#leave()}. */
    Uni<Void> leave();

    /** The loss of the first that is lost for good; {@code null} if none is. */
    default @Nullable LockLostException lossForGood(boolean onlyFailing) {
        for (int i = 0; i < size(); i++) {
            Hold hold = get(i);
            if ((hold.failsOnLoss() || !onlyFailing) && hold.lostForGood()) {
                return hold.loss();
            }
        }
        return null;
    }

    /** Whether the failure is the loss of one of them, and says nothing that another one would not say. */
    default boolean isLoss(Throwable failure) {
        if (failure instanceof LockLostException loss) {
            for (int i = 0; i < size(); i++) {
                if (get(i).name().equals(loss.lockName()) && get(i).markedLost()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The loss of the first that is not valid, if that is a failure; whether or not it has been told yet. */
    default @Nullable LockLostException failingNow() {
        for (int i = 0; i < size(); i++) {
            Hold hold = get(i);
            if (hold.failsOnLoss() && !hold.valid()) {
                return hold.loss();
            }
        }
        return null;
    }

    /** Is told when one is lost whose loss is a failure, until {@link #unwatch}. */
    default void watch(LossNews.Listener listener) {
        for (int i = 0; i < size(); i++) {
            if (get(i).failsOnLoss()) {
                get(i).lossNews().add(listener);
            }
        }
    }

    default void unwatch(LossNews.Listener listener) {
        for (int i = 0; i < size(); i++) {
            if (get(i).failsOnLoss()) {
                get(i).stopTelling(listener);
            }
        }
    }
}
