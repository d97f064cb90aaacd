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
 * The locks of one JVM. In tests, several engines share it as if they were JVMs with one server. Guarded by one lock, under
 * which only fields change.
 */
public final class LocalStore {

    private static final int KEPT_AT_REST = 1024;

    final ReentrantLock guard = new ReentrantLock();
    final LockTime time;
    private final Map<String, LocalEntry> entries = new HashMap<>();
    private long lastFence;

    public LocalStore(LockTime time) {
        this.time = time;
        // Later stores continue above earlier ones, like a server that lost its data
        this.lastFence = time.wallMillis() * 1000;
    }

    LocalEntry entry(String name) {
        return entries.computeIfAbsent(name, LocalEntry::new);
    }

    /** Keeps some idle entries, since names are used again and again. */
    void atRest(LocalEntry entry) {
        if (entries.size() > KEPT_AT_REST && entry.holders.isEmpty() && entry.waiting.isEmpty()) {
            entries.remove(entry.name, entry); // there may be a later entry of this name
        }
    }

    /** The entry of a name that is held or waited for; {@code null} if there is none. */
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

    /** A fence greater than all before it, for any name. */
    long nextFence() {
        return ++lastFence;
    }

    // --- how a name passes from its holders to its waiters

    Grant grant(LocalEntry entry, LocalBackend to, Claim claim, long now) {
        Grant grant = new Grant(claim, nextFence(), now);
        entry.add(grant, to, now);
        return grant;
    }

    record HandOver(LocalClaim to, Grant grant, boolean othersWait) {
    }

    /**
     * Gives the name to those at the head of the line for whom there is room. The caller holds the guard, and completes the
     * returned hand-overs once it is free. While somebody waits, the end of a lease must be noticed.
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
