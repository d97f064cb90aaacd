package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.quarkiverse.lock.testkit.Await;
import io.smallrye.mutiny.Uni;

/** Stands in front of any backend and fails on command: the faults that the engine must survive with any store. */
public final class FaultyBackend implements LockBackend, Link {

    private final LockBackend backend;
    private final Map<String, Grant> grants = new ConcurrentHashMap<>();
    private final AtomicInteger renewalsToFail = new AtomicInteger();
    private final AtomicInteger renewalsToThrow = new AtomicInteger();
    private final AtomicInteger releasesToFail = new AtomicInteger();
    private final AtomicInteger renewals = new AtomicInteger();
    private final Queue<String> answeredRenewals = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile boolean deafToWaiters;
    private volatile boolean cut;
    private volatile boolean checked;
    private volatile Set<Feature> missing = Set.of();
    private @Nullable BackendListener listener;

    public FaultyBackend(LockBackend backend) {
        this.backend = backend;
    }

    @Override
    public void cut() {
        cut = true;
    }

    @Override
    public void heal() {
        cut = false;
        if (listener != null) {
            listener.recheck();
        }
    }

    /** The next renewals get no answer. */
    public void failRenewals(int count) {
        renewalsToFail.set(count);
    }

    /** The next renewals throw, which no backend should do. */
    public void throwOnRenewals(int count) {
        renewalsToThrow.set(count);
    }

    /** The next releases fail before they reach the store. */
    public void failReleases(int count) {
        releasesToFail.set(count);
    }

    /** The store loses this name's grant without notifying anybody. */
    public void forget(String name) {
        Grant grant = grants.get(name);
        if (grant == null) {
            throw new IllegalStateException("Lock '" + name + "' has not been granted here");
        }
        backend.release(grant).await().atMost(Duration.ofSeconds(10));
    }

    /** As a backend without this feature, whatever its store can do. */
    FaultyBackend without(Feature feature) {
        missing = Set.of(feature);
        return this;
    }

    /** Returns when the store's client has requested its first recheck of all holds. */
    void awaitFirstCheck() {
        Await.until("the client has connected", Duration.ofSeconds(15), () -> checked);
    }

    /** News of waiters elsewhere no longer arrives. */
    public void loseNewsOfWaiters() {
        deafToWaiters = true;
    }

    /** How many times a name was requested, renewed or released. */
    public int requests() {
        return requests.get();
    }

    /** How many times a renewal of the name was answered and its caller has processed the answer. */
    public int answeredRenewals(String name) {
        return Collections.frequency(answeredRenewals, name);
    }

    /** How many renewals there were in total. */
    public int renewals() {
        return renewals.get();
    }

    @Override
    public String name() {
        return backend.name();
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        this.listener = listener;
        backend.start(new DeafWhileCut(listener), time);
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        requests.incrementAndGet();
        return Uni.createFrom().deferred(() -> {
            if (cut) {
                return Uni.createFrom().failure(unreachable(claim.name()));
            }
            return backend.acquire(claim).onItem().invoke(answer -> {
                if (answer instanceof Grant grant) {
                    grants.put(claim.name(), grant);
                }
            });
        });
    }

    @Override
    public Uni<Renewal> shorten(Grant grant) {
        return renewed(List.of(grant), () -> backend.shorten(grant));
    }

    @Override
    public Uni<Renewal> shortenIdle(Grant grant) {
        return renewed(List.of(grant), () -> backend.shortenIdle(grant));
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> asked) {
        return renewed(asked, () -> backend.renew(asked));
    }

    private Uni<Renewal> renewed(List<? extends Grant> asked, Supplier<Uni<Renewal>> send) {
        requests.incrementAndGet();
        renewals.addAndGet(asked.size());
        if (takeOne(renewalsToThrow)) {
            throw new IllegalStateException("A fault that the test asked for");
        }
        if (cut || takeOne(renewalsToFail)) {
            return Uni.createFrom().item(new Renewal(List.of(), List.of(), asked));
        }
        Uni<Renewal> sent = send.get().map(renewal -> cut ? new Renewal(List.of(), List.of(), asked) : renewal);
        return Uni.createFrom().emitter(asker -> sent.subscribe().with(renewal -> {
            asker.complete(renewal);
            asked.forEach(grant -> answeredRenewals.add(grant.name()));
        }, asker::fail));
    }

    @Override
    public Uni<Void> release(Grant grant) {
        requests.incrementAndGet();
        return Uni.createFrom().deferred(() -> cut || takeOne(releasesToFail)
                ? Uni.createFrom().failure(unreachable(grant.name()))
                : backend.release(grant));
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return Uni.createFrom().deferred(() -> cut || takeOne(releasesToFail)
                ? Uni.createFrom().failure(unreachable(grant.name()))
                : backend.releaseAfter(grant, nanos));
    }

    @Override
    public Uni<Boolean> downgrade(Grant grant) {
        return Uni.createFrom().deferred(() -> cut ? Uni.createFrom().failure(unreachable(grant.name()))
                : backend.downgrade(grant));
    }

    @Override
    public void contended(Grant grant) {
        if (!cut) {
            backend.contended(grant);
        }
    }

    @Override
    public void lingers(Grant grant) {
        if (!cut) {
            backend.lingers(grant);
        }
    }

    @Override
    public boolean tellsOfWaiters() {
        return backend.tellsOfWaiters();
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return cut ? Uni.createFrom().failure(unreachable(ListedNames.of(query))) : backend.list(query);
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return cut ? Uni.createFrom().failure(unreachable(name)) : backend.inspect(name);
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return cut ? Uni.createFrom().failure(unreachable(name)) : backend.forceRelease(name);
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return cut ? Uni.createFrom().failure(unreachable(name)) : backend.requestRelease(name);
    }

    @Override
    public Set<Feature> features() {
        return backend.features().stream().filter(each -> !missing.contains(each)).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Duration operationTimeout() {
        return backend.operationTimeout();
    }

    @Override
    public void beforeCheckpoint() {
        backend.beforeCheckpoint();
    }

    @Override
    public void afterRestore() {
        backend.afterRestore();
    }

    @Override
    public void close() {
        backend.close();
    }

    private static LockBackendException unreachable(String name) {
        return new LockBackendException(name, "The test has cut the link", null);
    }

    private static boolean takeOne(AtomicInteger count) {
        return count.getAndUpdate(left -> left > 0 ? left - 1 : 0) > 0;
    }

    /** A JVM that is cut off receives no events either. */
    private final class DeafWhileCut implements BackendListener {

        private final BackendListener engine;

        DeafWhileCut(BackendListener engine) {
            this.engine = engine;
        }

        @Override
        public void suspect(Grant grant) {
            if (!cut) {
                engine.suspect(grant);
            }
        }

        @Override
        public void lost(Grant grant, String reason) {
            if (!cut) {
                engine.lost(grant, reason);
            }
        }

        @Override
        public void waiters(Grant grant, boolean some) {
            if (!cut && !deafToWaiters) {
                engine.waiters(grant, some);
            }
        }

        @Override
        public void releaseRequested(Grant grant) {
            if (!cut) {
                engine.releaseRequested(grant);
            }
        }

        @Override
        public void recheck() {
            checked = true;
            if (!cut) {
                engine.recheck();
            }
        }
    }
}
