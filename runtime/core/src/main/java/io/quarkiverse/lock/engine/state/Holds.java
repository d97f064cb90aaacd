package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The holds of several names that one caller has so far, in order. They are added one by one, by the thread that acts for the
 * caller at that moment.
 */
public final class Holds implements Held {

    private final LockHold[] holds;
    private volatile int size;

    /** @param names the final number of names */
    public Holds(int names) {
        holds = new LockHold[names];
    }

    public void add(LockHold hold) {
        holds[size] = hold;
        size = size + 1;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public LockHold get(int index) {
        return holds[index];
    }

    @Override
    public @Nullable LockHold refusedHold() {
        return null;
    }

    @Override
    public String name() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            names.add(holds[i].name());
        }
        return String.join(", ", names);
    }

    /** Whether there is one of each name. */
    public boolean complete() {
        return size == holds.length;
    }
}
