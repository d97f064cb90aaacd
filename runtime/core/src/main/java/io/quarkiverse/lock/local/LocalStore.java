package io.quarkiverse.lock.local;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockTime;

/**
 * The locks of one JVM, or, in tests, what several engines share as if they were JVMs with one server. Guarded by one lock: it
 * does nothing but change fields.
 */
public final class LocalStore {

    private static final int KEPT_AT_REST = 1024;

    final ReentrantLock guard = new ReentrantLock();
    final LockTime time;
    private final Map<String, LocalEntry> entries = new HashMap<>();
    private long lastFence;

    public LocalStore(LockTime time) {
        this.time = time;
        // Later stores go on above earlier ones, as a server does whose data was lost
        this.lastFence = time.wallMillis() * 1000;
    }

    LocalEntry entry(String name) {
        return entries.computeIfAbsent(name, LocalEntry::new);
    }

    /** Keeps some entries at rest, since names are used again and again. */
    void atRest(LocalEntry entry) {
        if (entries.size() > KEPT_AT_REST && entry.holders.isEmpty() && entry.waiting.isEmpty()) {
            entries.remove(entry.name, entry); // there may be a later one of this name
        }
    }

    /** The one of a name that is held or waited for; {@code null} if there is none. */
    @Nullable
    LocalEntry inUse(String name) {
        LocalEntry entry = entries.get(name);
        return entry != null && (entry.heldAt(time.nanoTime()) || !entry.waiting.isEmpty()) ? entry : null;
    }

    /** All names that it remembers. */
    List<String> names() {
        return List.copyOf(entries.keySet());
    }

    /** How many names it remembers. */
    int known() {
        return entries.size();
    }

    /** Greater than all before, whatever the name. */
    long nextFence() {
        return ++lastFence;
    }
}
