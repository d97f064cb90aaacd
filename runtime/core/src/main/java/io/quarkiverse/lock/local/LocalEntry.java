package io.quarkiverse.lock.local;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime.Timer;
import io.quarkiverse.lock.spi.PrintableDuration;

/** One name in the store: its holders and its waiters, first come first served. */
final class LocalEntry {

    final String name;
    final Deque<LocalClaim> waiting = new ArrayDeque<>(0);

    /** Nearly always one at most. */
    final List<LocalHolder> holders = new ArrayList<>(1);

    /** Fires when the first lease must be checked, while somebody waits for it to end. */
    @Nullable
    Timer expiry;

    /** A former holder, reused for the next: a lock that comes and goes creates no garbage. */
    private @Nullable LocalHolder spare;

    LocalEntry(String name) {
        this.name = name;
    }

    /** Whether any holder remains after removing those whose lease is over. */
    boolean heldAt(long now) {
        for (int i = holders.size() - 1; i >= 0; i--) {
            if (now >= holders.get(i).expiresAt) {
                remove(i);
            }
        }
        return !holders.isEmpty();
    }

    /** Whether there is room for it beside the current holders. Of different limits the smallest counts. */
    boolean fits(Claim claim, long now) {
        if (!heldAt(now)) {
            return true;
        }
        int limit = claim.limit();
        for (LocalHolder holder : holders) {
            if (!holder.grant.claim().goesWith(claim)) {
                return false;
            }
            limit = Math.min(limit, holder.grant.claim().limit());
        }
        return limit == 0 || holders.size() < limit;
    }

    void add(Grant grant, LocalBackend backend, long now) {
        LocalHolder holder = spare == null ? new LocalHolder() : spare;
        spare = null;
        holder.grant = grant;
        holder.backend = backend;
        holder.grantedAt = now;
        holder.expiresAt = now + grant.claim().leaseNanos();
        holder.asked = false;
        holder.kept = false;
        holders.add(holder);
    }

    @Nullable
    LocalHolder holder(Grant grant) {
        int i = indexOf(grant);
        return i < 0 ? null : holders.get(i);
    }

    boolean remove(Grant grant) {
        int i = indexOf(grant);
        if (i >= 0) {
            remove(i);
        }
        return i >= 0;
    }

    private int indexOf(Grant grant) {
        for (int i = 0; i < holders.size(); i++) {
            if (holders.get(i).grant == grant) {
                return i;
            }
        }
        return -1;
    }

    private void remove(int i) {
        spare = holders.remove(i);
        spare.grant = null;
        spare.backend = null;
    }

    /** When the first lease ends. */
    long firstExpiry() {
        long first = Long.MAX_VALUE;
        for (LocalHolder holder : holders) {
            first = Math.min(first, holder.expiresAt);
        }
        return first;
    }

    /** For display. */
    LockInfo info(long now) {
        List<LockInfo.Holder> shown = new ArrayList<>();
        for (LocalHolder holder : holders) {
            Claim claim = holder.grant.claim();
            String owner = holder.backend.owner();
            shown.add(new LockInfo.Holder(holder.kept ? "finished, kept by " + owner : owner,
                    Grant.firstToken(holder.grant.fence()), claim.mode(),
                    claim.limit(),
                    Duration.ofNanos(now - holder.grantedAt), Duration.ofNanos(holder.expiresAt - now)));
        }
        List<LockInfo.Waiter> waiters = new ArrayList<>();
        for (LocalClaim each : waiting) {
            waiters.add(new LockInfo.Waiter(each.backend.owner(), each.claim.mode(), each.claim.limit(),
                    Duration.ofNanos(now - each.since)));
        }
        return new LockInfo(name, shown, waiters.size(), waiters);
    }

    /** Tells a waiting claim who the first holder is, if there is one. */
    void tell(Claim waiting) {
        if (holders.isEmpty()) {
            waiting.heldBy(null);
        } else {
            waiting.heldBy(holders.get(0).backend.owner(), holders.get(0).grantedAt);
        }
    }

    /** Describes the first holder; there must be one. */
    String describe(long now) {
        LocalHolder first = holders.get(0);
        return PrintableDuration.heldBy(first.backend.owner(), now - first.grantedAt);
    }

    void expectNothing() {
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
    }
}
