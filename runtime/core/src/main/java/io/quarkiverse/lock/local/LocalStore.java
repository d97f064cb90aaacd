package io.quarkiverse.lock.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
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

    // --- how a name gets from its holders to those who wait for it

    Grant grant(LocalEntry entry, LocalBackend to, Claim claim, long now) {
        Grant grant = new Grant(claim, nextFence(), now);
        entry.add(grant, to, now);
        return grant;
    }

    record HandOver(LocalClaim to, Grant grant, boolean othersWait) {
    }

    /**
     * Gives the name to those at the head of the line that there is room for; the guard is held, and what it returns
     * is completed when it is free. While somebody waits, the end of a lease has to be noticed.
     */
    List<HandOver> dispatch(LocalEntry entry) {
        entry.expectNothing();
        if (entry.waiting.isEmpty()) {
            return List.of();
        }
        List<HandOver> handOvers = new ArrayList<>(1);
        long now = time.nanoTime();
        LocalClaim first = entry.waiting.peek();
        while (first != null && entry.fits(first.claim, now)) {
            entry.waiting.remove();
            handOvers.add(new HandOver(first, grant(entry, first.backend, first.claim, now), !entry.waiting.isEmpty()));
            first = entry.waiting.peek();
        }
        if (first != null) {
            if (!handOvers.isEmpty()) {
                entry.waiting.forEach(each -> entry.tell(each.claim));
            }
            entry.expiry = time.schedule(entry.firstExpiry() - now, () -> expire(entry));
        }
        return handOvers;
    }

    private void expire(LocalEntry entry) {
        List<HandOver> handOvers;
        guard.lock();
        try {
            handOvers = dispatch(entry);
        } finally {
            guard.unlock();
        }
        complete(handOvers);
    }

    static void complete(List<HandOver> handOvers) {
        for (HandOver handOver : handOvers) {
            handOver.to().answer(handOver.grant());
            if (handOver.othersWait()) {
                handOver.to().backend.listener().waiters(handOver.grant(), true);
            }
        }
    }
}
