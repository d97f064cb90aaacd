package io.quarkiverse.lock.engine;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;

/** What each thread has taken through {@link ThreadLock}s, by name: all views of one name are one lock. */
public final class ThreadLocks {

    private final ThreadLocal<@Nullable Map<String, Owned>> mine = new ThreadLocal<>();

    static final class Owned {

        final LockHandle handle;
        /** How it was taken; {@code null} where nothing is locked. */
        final @Nullable HoldSettings settings;
        int times = 1;

        Owned(LockHandle handle, @Nullable HoldSettings settings) {
            this.handle = handle;
            this.settings = settings;
        }
    }

    @Nullable
    Owned find(String name) {
        Map<String, Owned> all = mine.get();
        return all == null ? null : all.get(name);
    }

    void add(String name, LockHandle handle, @Nullable HoldSettings settings) {
        Map<String, Owned> all = mine.get();
        if (all == null) {
            all = new HashMap<>();
            mine.set(all);
        }
        all.put(name, new Owned(handle, settings));
    }

    void remove(String name) {
        Map<String, Owned> all = mine.get();
        all.remove(name);
        if (all.isEmpty()) {
            mine.remove(); // threads of pools live long
        }
    }
}
