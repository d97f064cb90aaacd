package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What one caller has of several names so far, in their order. The holds are added one after the other, by whatever thread has
 * the word.
 */
public final class Holds implements Held {

    private final LockHold[] holds;
    private volatile int size;

    /** @param names how many there will be */
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
