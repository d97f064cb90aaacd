package io.quarkiverse.lock.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Locks inside one JVM, for development, tests and applications of one node. It means what the others mean, leases and fencing
 * tokens included:
 * <ol>
 * <li>a claim gets the name if nobody holds it, or the holder's lease has run out, and nobody waits; else it joins the line;
 * <li>a release, a forced one or the end of a lease gives the name to the first in line, with the next fence;
 * <li>a renewal, a release and a withdrawal do nothing unless the grant is still the holder's.
 * </ol>
 */
public final class LocalBackend implements InMemoryBackend {

    private final LocalStore store;
    private final String owner;
    private @Nullable BackendListener listener;

    public LocalBackend(LocalStore store) {
        this(store, "this JVM");
    }

    /** @param owner describes this client of the store to people */
    public LocalBackend(LocalStore store, String owner) {
        this.store = store;
        this.owner = owner;
    }

    @Override
    public String name() {
        return "local";
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        this.listener = listener;
    }

    @Override
    public @Nullable Grant acquireNow(Claim claim) {
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(claim.name());
            return entry.heldAt(store.time.nanoTime()) || !entry.waiting.isEmpty() ? null : grant(entry, this, claim);
        } finally {
            store.guard.unlock();
        }
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                LocalClaim asking = new LocalClaim(LocalBackend.this, claim, subscriber);
                subscriber.onSubscribe(asking);
                ask(asking);
            }
        };
    }

    private void ask(LocalClaim asking) {
        Grant grant = acquireNow(asking.claim);
        if (grant != null) {
            asking.answer(grant);
        } else if (asking.claim.waits()) {
            join(asking);
        } else {
            asking.answer(new Busy(holder(asking.claim.name())));
        }
    }

    private void join(LocalClaim waiting) {
        Handover handover;
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(waiting.claim.name());
            entry.waiting.add(waiting);
            if (entry.holder != null) {
                waiting.claim.heldBy(describe(entry));
                entry.holderBackend.listener.waiters(entry.holder, true);
                expireAtLast(entry);
            }
            handover = dispatch(entry);
        } finally {
            store.guard.unlock();
        }
        complete(handover);
        if (waiting.cancelled()) {
            withdraw(waiting); // cancelled before it had joined
        }
    }

    void withdraw(LocalClaim waiting) {
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(waiting.claim.name());
            entry.waiting.remove(waiting);
            if (entry.waiting.isEmpty() && entry.expiry != null) {
                entry.expiry.cancel();
                entry.expiry = null;
            }
        } finally {
            store.guard.unlock();
        }
    }

    /** Somebody waits now, so the end of the holder's lease has to be noticed. */
    private void expireAtLast(LocalEntry entry) {
        if (entry.expiry == null) {
            entry.expiry = store.time.schedule(entry.expiresAt - store.time.nanoTime(), () -> expire(entry));
        }
    }

    private void expire(LocalEntry entry) {
        Handover handover;
        store.guard.lock();
        try {
            entry.expiry = null;
            if (entry.heldAt(store.time.nanoTime())) {
                expireAtLast(entry); // renewed meanwhile
            }
            handover = dispatch(entry);
        } finally {
            store.guard.unlock();
        }
        complete(handover);
    }

    private Grant grant(LocalEntry entry, LocalBackend to, Claim claim) {
        long now = store.time.nanoTime();
        entry.clear();
        Grant grant = new Grant(claim, store.nextFence(), now);
        entry.holder = grant;
        entry.holderBackend = to;
        entry.grantedAt = now;
        entry.expiresAt = now + claim.leaseNanos();
        if (!entry.waiting.isEmpty()) {
            expireAtLast(entry);
        }
        return grant;
    }

    private record Handover(LocalClaim to, Grant grant, boolean othersWait) {
    }

    /** Gives a free name to the first in line; the guard is held, and what it returns is completed when it is free. */
    private @Nullable Handover dispatch(LocalEntry entry) {
        if (entry.heldAt(store.time.nanoTime()) || entry.waiting.isEmpty()) {
            return null;
        }
        LocalClaim first = entry.waiting.poll();
        return new Handover(first, grant(entry, first.backend, first.claim), !entry.waiting.isEmpty());
    }

    private static void complete(@Nullable Handover handover) {
        if (handover == null) {
            return;
        }
        handover.to().answer(handover.grant());
        LocalBackend to = handover.to().backend;
        if (handover.othersWait()) {
            to.listener.waiters(handover.grant(), true);
        }
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        return Uni.createFrom().item(() -> {
            List<Grant> renewed = new ArrayList<>();
            List<Grant> lost = new ArrayList<>();
            store.guard.lock();
            try {
                long now = store.time.nanoTime();
                for (Grant grant : grants) {
                    LocalEntry entry = store.entry(grant.name());
                    if (entry.holder == grant && entry.heldAt(now)) {
                        entry.expiresAt = Math.max(entry.expiresAt, now + grant.leaseNanos());
                        renewed.add(grant);
                    } else {
                        lost.add(grant);
                    }
                }
            } finally {
                store.guard.unlock();
            }
            return new Renewal(renewed, lost, List.of());
        });
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return Uni.createFrom().item(() -> {
            releaseNow(grant);
            return null;
        });
    }

    @Override
    public void releaseNow(Grant grant) {
        Handover handover = null;
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(grant.name());
            if (entry.holder == grant) {
                entry.clear();
                handover = dispatch(entry);
                if (handover == null) {
                    store.atRest(entry);
                }
            }
        } finally {
            store.guard.unlock();
        }
        complete(handover);
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return Uni.createFrom().item(() -> {
            store.guard.lock();
            try {
                LocalEntry entry = store.entry(grant.name());
                if (entry.holder == grant && entry.heldAt(store.time.nanoTime())) {
                    entry.expiresAt = store.time.nanoTime() + nanos;
                    if (entry.expiry != null) {
                        entry.expiry.cancel();
                        entry.expiry = null;
                        expireAtLast(entry);
                    }
                }
            } finally {
                store.guard.unlock();
            }
            return null;
        });
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return Uni.createFrom().item(() -> {
            store.guard.lock();
            try {
                LocalEntry entry = store.entry(name);
                long now = store.time.nanoTime();
                if (!entry.heldAt(now) && entry.waiting.isEmpty()) {
                    store.atRest(entry);
                    return Optional.empty();
                }
                List<LockInfo.Holder> holders = !entry.heldAt(now) ? List.of()
                        : List.of(new LockInfo.Holder(entry.holderBackend.owner, entry.holder.fence() * 1024,
                                Duration.ofNanos(now - entry.grantedAt), Duration.ofNanos(entry.expiresAt - now)));
                return Optional.of(new LockInfo(name, holders, entry.waiting.size()));
            } finally {
                store.guard.unlock();
            }
        });
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return Uni.createFrom().item(() -> {
            Grant taken;
            LocalBackend from;
            Handover handover;
            store.guard.lock();
            try {
                LocalEntry entry = store.entry(name);
                taken = entry.heldAt(store.time.nanoTime()) ? entry.holder : null;
                from = entry.holderBackend;
                entry.clear();
                store.nextFence();
                handover = dispatch(entry);
            } finally {
                store.guard.unlock();
            }
            if (taken != null) {
                from.listener.lost(taken, "it was force-released");
            }
            complete(handover);
            return taken != null;
        });
    }

    private @Nullable String holder(String name) {
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(name);
            return entry.holder == null ? null : describe(entry);
        } finally {
            store.guard.unlock();
        }
    }

    private String describe(LocalEntry entry) {
        return entry.holderBackend.owner + " for "
                + Duration.ofNanos(store.time.nanoTime() - entry.grantedAt).toMillis() + "ms";
    }

    @Override
    public Set<Feature> features() {
        return EnumSet.of(Feature.ASYNC, Feature.LEASE, Feature.HOLD_AT_LEAST);
    }

    @Override
    public Duration operationTimeout() {
        return Duration.ofSeconds(1);
    }

    @Override
    public void close() {
        // the store outlives its clients, and has nothing to close
    }
}
