package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;

/**
 * What one caller has of several names so far, in their order. The holds are added one after the other, by whatever thread has
 * the word.
 */
public final class Holds {

    private final Hold[] holds;
    private volatile int size;
    private volatile boolean bodyBegun;

    /** @param names how many there will be */
    public Holds(int names) {
        holds = new Hold[names];
    }

    public void add(Hold hold) {
        holds[size] = hold;
        size = size + 1;
    }

    public int size() {
        return size;
    }

    Hold get(int index) {
        return holds[index];
    }

    /** The last one, if it was refused. */
    @Nullable
    Hold refused() {
        int last = size - 1;
        return last >= 0 && holds[last].refused() ? holds[last] : null;
    }

    boolean allValid() {
        for (int i = 0; i < size; i++) {
            if (!holds[i].valid()) {
                return false;
            }
        }
        return size == holds.length;
    }

    /** Of the first that is not valid. */
    LockLostException loss() {
        for (int i = 0; i < size; i++) {
            if (!holds[i].valid()) {
                return holds[i].loss();
            }
        }
        return holds[0].loss(); // its validity was in doubt only for a moment
    }

    /**
     * From here on a loss is one of the body, and nothing begins anew.
     *
     * @throws LockLostException if one was lost while the others were waited for
     */
    public void beginBody() {
        if (!allValid()) {
            throw loss();
        }
        bodyBegun = true;
    }

    public boolean bodyBegun() {
        return bodyBegun;
    }

    /** Gives back what there is, the last one first; what fails is logged and tried again where it failed. */
    void leave() {
        for (int i = size - 1; i >= 0; i--) {
            if (!holds[i].refused()) {
                holds[i].leave();
            }
        }
    }
}
