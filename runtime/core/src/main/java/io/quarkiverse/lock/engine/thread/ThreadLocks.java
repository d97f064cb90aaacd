package io.quarkiverse.lock.engine.thread;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;

/**
 * What each thread has taken through {@link ThreadLock}s, by {@code NamesInOrder.key}: all views of the same names are one
 * lock.
 */
public final class ThreadLocks {

    private final ThreadLocal<@Nullable Map<Object, Owned>> mine = new ThreadLocal<>();

    static final class Owned {

        final LockHandle handle;
        /** How often it must be unlocked: the shared and the exclusive side. */
        private int shared;
        private int alone;

        Owned(LockHandle handle) {
            this.handle = handle;
        }

        /** @throws IllegalStateException if it does not include what is wanted */
        void checkCovers(HoldSettings wanted) {
            // They may include more than was asked for: a reader may have joined a writer
            forEach(hold -> hold.settings.checkCovers(wanted, hold.name()));
        }

        /** There are none if locks are switched off. */
        private void forEach(Consumer<LockHold> work) {
            if (handle instanceof Losable known) {
                Held held = known.held();
                for (int i = 0; i < held.size(); i++) {
                    work.accept(held.get(i));
                }
            }
        }

        void taken(boolean sharing) {
            shared += sharing ? 1 : 0;
            alone += sharing ? 0 : 1;
        }

        int times(boolean sharing) {
            return sharing ? shared : alone;
        }

        /** Returns whether that was the last unlock. */
        boolean unlocked(boolean sharing) {
            shared -= sharing ? 1 : 0;
            alone -= sharing ? 0 : 1;
            return shared + alone == 0;
        }
    }

    @Nullable
    Owned find(Object key) {
        Map<Object, Owned> all = mine.get();
        return all == null ? null : all.get(key);
    }

    /** All that the current thread has taken; it alone can end these holds. */
    public List<LockHold> holds() {
        List<LockHold> holds = new ArrayList<>();
        forEach(holds::add);
        return holds;
    }

    private void forEach(Consumer<LockHold> work) {
        Map<Object, Owned> all = mine.get();
        if (all != null) {
            all.values().forEach(owned -> owned.forEach(work));
        }
    }

    /**
     * For each name the live hold that the current thread has taken, with whatever other names; {@code null} if it has none.
     *
     * @param names in order
     */
    public @Nullable LockHold @Nullable [] holdsOf(String... names) {
        if (mine.get() == null) {
            return null;
        }
        LockHold[] found = new LockHold[names.length];
        forEach(hold -> {
            int i = Arrays.binarySearch(names, hold.name());
            if (i >= 0 && hold.live()) {
                found[i] = hold;
            }
        });
        return found;
    }

    void add(Object key, Owned owned) {
        Map<Object, Owned> all = mine.get();
        if (all == null) {
            all = new HashMap<>();
            mine.set(all);
        }
        all.put(key, owned);
    }

    void remove(Object key) {
        Map<Object, Owned> all = mine.get();
        all.remove(key);
        if (all.isEmpty()) {
            mine.remove(); // pool threads live long
        }
    }
}
