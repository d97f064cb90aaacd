package io.quarkiverse.lock.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockQuery;
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
 * Locks inside one JVM, for development, tests and single-node applications. Its semantics are those of the other backends,
 * including leases and fencing tokens:
 * <ol>
 * <li>a claim gets the name if there is room beside the holders with unexpired leases, and nobody waits; else it joins the
 * line;
 * <li>a release, a forced release or the end of a lease gives the name to the first in line, and to as many more as there is
 * room for, each with the next fence;
 * <li>a renewal, a release and a withdrawal do nothing, and say so, unless the grant still belongs to a holder.
 * </ol>
 */
public final class LocalBackend implements InMemoryBackend {

    public static final Set<Feature> FEATURES = Set.of(Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT,
            Feature.HOLD_AT_LEAST, Feature.AFTER_LOSS_DELAY, Feature.REQUEST_RELEASE, Feature.DOWNGRADE, Feature.LIST);

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

    /** Describes this client of the store to people. */
    String owner() {
        return owner;
    }

    @Nullable
    BackendListener listener() {
        return listener;
    }

    @Override
    public @Nullable Grant acquireNow(Claim claim) {
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(claim.name());
            long now = store.time.nanoTime();
            return entry.waiting.isEmpty() && entry.fits(claim, now) ? store.grant(entry, this, claim, now) : null;
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
        List<LocalStore.HandOver> handOvers;
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(waiting.claim.name());
            waiting.since = store.time.nanoTime();
            entry.waiting.add(waiting);
            entry.tell(waiting.claim);
            for (LocalHolder holder : entry.holders) {
                holder.backend.listener.waiters(holder.grant, true);
            }
            handOvers = store.dispatch(entry);
        } finally {
            store.guard.unlock();
        }
        LocalStore.complete(handOvers);
        if (waiting.cancelled()) {
            withdraw(waiting); // cancelled before it had joined
        }
    }

    /** Claims behind it may have waited only for this one. */
    void withdraw(LocalClaim waiting) {
        List<LocalStore.HandOver> handOvers;
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(waiting.claim.name());
            entry.waiting.remove(waiting);
            handOvers = store.dispatch(entry);
            store.atRest(entry);
        } finally {
            store.guard.unlock();
        }
        LocalStore.complete(handOvers);
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        return Uni.createFrom().item(() -> renewed(grants, false));
    }

    @Override
    public Uni<Renewal> shorten(Grant grant) {
        return Uni.createFrom().item(() -> renewed(List.of(grant), true));
    }

    private Renewal renewed(List<? extends Grant> grants, boolean exactly) {
        List<Grant> renewed = new ArrayList<>();
        List<Grant> lost = new ArrayList<>();
        List<Grant> asked = new ArrayList<>(0);
        List<LocalStore.HandOver> handOvers = new ArrayList<>(0);
        store.guard.lock();
        try {
            long now = store.time.nanoTime();
            for (Grant grant : grants) {
                LocalEntry entry = store.entry(grant.name());
                LocalHolder holder = entry.heldAt(now) ? entry.holder(grant) : null;
                if (holder != null && !holder.kept) {
                    holder.expiresAt = exactly ? now + grant.leaseNanos()
                            : Math.max(holder.expiresAt, now + grant.leaseNanos());
                    renewed.add(grant);
                    if (holder.asked) {
                        asked.add(grant);
                    }
                    if (exactly) {
                        handOvers.addAll(store.dispatch(entry)); // which watches for its end on behalf of waiters
                    }
                } else {
                    lost.add(grant);
                    store.atRest(entry);
                }
            }
        } finally {
            store.guard.unlock();
        }
        LocalStore.complete(handOvers);
        asked.forEach(listener::releaseRequested);
        return new Renewal(renewed, lost, List.of());
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
        if (!giveBack(grant) && grant.keptAt(store.time.nanoTime())) {
            throw gone(grant);
        }
    }

    private static LockLostException gone(Grant grant) {
        return new LockLostException(grant.name(), "it was gone from this JVM before its release", null);
    }

    /** Returns whether it was still there. */
    boolean giveBack(Grant grant) {
        boolean there;
        List<LocalStore.HandOver> handOvers = List.of();
        store.guard.lock();
        try {
            LocalEntry entry = store.entry(grant.name());
            there = entry.remove(grant);
            if (there) {
                handOvers = store.dispatch(entry);
            }
            store.atRest(entry);
        } finally {
            store.guard.unlock();
        }
        LocalStore.complete(handOvers);
        return there;
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return Uni.createFrom().item(() -> {
            boolean there;
            List<LocalStore.HandOver> handOvers;
            store.guard.lock();
            try {
                LocalEntry entry = store.entry(grant.name());
                long now = store.time.nanoTime();
                LocalHolder holder = entry.heldAt(now) ? entry.holder(grant) : null;
                there = holder != null;
                if (there) {
                    holder.expiresAt = now + nanos;
                    holder.kept = true;
                    store.time.schedule(nanos, () -> forget(entry));
                }
                handOvers = store.dispatch(entry);
                store.atRest(entry);
            } finally {
                store.guard.unlock();
            }
            LocalStore.complete(handOvers);
            if (!there && grant.keptAt(store.time.nanoTime())) {
                throw gone(grant);
            }
            return null;
        });
    }

    @Override
    public Uni<Boolean> downgrade(Grant grant) {
        return Uni.createFrom().item(() -> {
            boolean there;
            List<LocalStore.HandOver> handOvers;
            store.guard.lock();
            try {
                LocalEntry entry = store.entry(grant.name());
                there = entry.heldAt(store.time.nanoTime()) && entry.holder(grant) != null;
                handOvers = store.dispatch(entry); // the claim is already a reader's
                store.atRest(entry);
            } finally {
                store.guard.unlock();
            }
            LocalStore.complete(handOvers);
            return there;
        });
    }

    /** Drops the entry if it is idle: the name may never be asked for again. */
    private void forget(LocalEntry entry) {
        store.guard.lock();
        try {
            if (!entry.heldAt(store.time.nanoTime())) {
                store.atRest(entry);
            }
        } finally {
            store.guard.unlock();
        }
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
                return Optional.of(entry.info(now));
            } finally {
                store.guard.unlock();
            }
        });
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return Uni.createFrom().item(() -> LocalPage.of(store, query));
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return Uni.createFrom().item(() -> {
            List<Runnable> news = new ArrayList<>();
            List<LocalStore.HandOver> handOvers;
            store.guard.lock();
            try {
                LocalEntry entry = store.entry(name);
                entry.heldAt(store.time.nanoTime());
                for (LocalHolder holder : List.copyOf(entry.holders)) {
                    Grant taken = holder.grant;
                    BackendListener from = holder.backend.listener;
                    news.add(() -> from.lost(taken, "it was force-released"));
                    entry.remove(taken);
                }
                store.nextFence();
                handOvers = store.dispatch(entry);
                store.atRest(entry);
            } finally {
                store.guard.unlock();
            }
            news.forEach(Runnable::run);
            LocalStore.complete(handOvers);
            return !news.isEmpty();
        });
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return Uni.createFrom().item(() -> {
            List<Runnable> news = new ArrayList<>();
            store.guard.lock();
            try {
                LocalEntry entry = store.entry(name);
                if (!entry.heldAt(store.time.nanoTime())) {
                    store.atRest(entry);
                }
                for (LocalHolder holder : entry.holders) {
                    if (holder.kept) {
                        continue; // nobody is there to be told
                    }
                    holder.asked = true; // for the renewal of a grant still on its way to its caller
                    Grant asked = holder.grant;
                    BackendListener of = holder.backend.listener;
                    news.add(() -> of.releaseRequested(asked));
                }
            } finally {
                store.guard.unlock();
            }
            news.forEach(Runnable::run);
            return !news.isEmpty();
        });
    }

    /** Describes who holds the name; {@code null} if nobody does any more. */
    @Nullable
    String holder(String name) {
        store.guard.lock();
        try {
            LocalEntry entry = store.inUse(name);
            return entry == null || entry.holders.isEmpty() ? null : entry.describe(store.time.nanoTime());
        } finally {
            store.guard.unlock();
        }
    }

    @Override
    public Set<Feature> features() {
        return FEATURES;
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
