package io.quarkiverse.lock.engine.thread;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;

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
            if (handle instanceof Losable known) {
                Held held = known.held(); // may include more than was asked for: a reader may have joined an exclusive scope
                for (int i = 0; i < held.size(); i++) {
                    held.get(i).settings.checkCovers(wanted, held.get(i).name());
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
