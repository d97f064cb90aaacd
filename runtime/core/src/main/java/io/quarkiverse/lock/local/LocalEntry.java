package io.quarkiverse.lock.local;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime.Timer;

/** One name in the store: its holder and who waits, first come first served. */
final class LocalEntry {

    final String name;
    final Deque<LocalClaim> waiting = new ArrayDeque<>(0);
    @Nullable
    Grant holder;
    @Nullable
    LocalBackend holderBackend;
    long grantedAt;
    long expiresAt;
    @Nullable
    Timer expiry;

    LocalEntry(String name) {
        this.name = name;
    }

    boolean heldAt(long now) {
        return holder != null && now < expiresAt;
    }

    void clear() {
        holder = null;
        holderBackend = null;
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
    }
}
