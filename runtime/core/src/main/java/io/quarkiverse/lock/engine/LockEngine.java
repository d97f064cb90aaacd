package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.smallrye.mutiny.Uni;

/**
 * Locks of one backend in one JVM, shared by all managers on that backend. Owns what is the same for every store: the queues
 * inside the JVM, validity and renewal, hand-over, re-entrancy, and the end.
 *
 * <pre>{@code
 * LockEngine engine = LockEngine.builder(backend).start();
 * LockManager locks = engine.manager(ManagerDefaults.STANDARD);
 * }</pre>
 */
public final class LockEngine implements AutoCloseable, BackendListener {

    private static final Logger LOG = Logger.getLogger(LockEngine.class);

    private final LockBackend backend;
    private final @Nullable InMemoryBackend inMemory;
    private final @Nullable TransactionalLocks transactional;
    private final LockTime time;
    private final CallerThreads threads;
    private final Executor newsThreads;
    private final Events events;
    private final Margin margin;
    private final Slice slice;
    private final Fencing fencing;
    private final long afterLossNanos;
    private final Claims claims;
    private final Failures failures;
    private final NameTable names = new NameTable(this);
    private final Renewals renewals = new Renewals(this);
    private final Releases releases = new Releases(this);
    private final Downgrades downgrades = new Downgrades(this);
    private final Scopes scopes = new Scopes(this);
    private final ThreadLocks threadLocks = new ThreadLocks();
    private final ForgottenHandles forgottenHandles = new ForgottenHandles();
    private final Shutdown shutdown;

    LockEngine(LockEngineBuilder settings) {
        backend = settings.backend;
        inMemory = backend instanceof InMemoryBackend memory ? memory : null;
        transactional = backend instanceof TransactionalBackend inTransactions ? new TransactionalLocks(this, inTransactions)
                : null;
        time = settings.time();
        threads = settings.threads();
        newsThreads = threads.workersNeverRunOut() ? threads.workers() : new NewsThreads();
        events = new Events(settings.listener, backend instanceof TransactionalBackend);
        margin = new Margin(settings.margin);
        slice = new Slice(settings.slice);
        fencing = new Fencing(settings.fencingFloor);
        afterLossNanos = settings.afterLossDelay == null ? 0 : settings.afterLossDelay.toNanos();
        claims = new Claims(inMemory == null ? new OsRandom() : null, afterLossNanos);
        failures = new Failures(backend, time);
        shutdown = new Shutdown(this, settings.ownTime() ? time : null);
    }

    public static LockEngineBuilder builder(LockBackend backend) {
        return new LockEngineBuilder(backend);
    }

    /** A manager with these defaults. Managers are light; all of one engine share its locks. */
    public LockManager manager(ManagerDefaults defaults) {
        return new EngineLockManager(this, defaults);
    }

    /** For {@code @Locked}: takes the lock and waits, or finds the enclosing hold of the same name. */
    public Scopes scopes() {
        return scopes;
    }

    /** What the backend can do. */
    public Set<Feature> features() {
        return backend.features();
    }

    /**
     * @param call what cannot do without the feature
     * @param instead what can
     * @throws IllegalStateException if the backend does not have it
     */
    void need(Feature feature, String name, String call, String instead) {
        if (!backend.features().contains(feature)) {
            throw new IllegalStateException(
                    "Lock '" + PrintableName.of(name) + "': " + call + " does not work, since lock backend '"
                            + backend.name() + "' has no " + feature + ": use " + instead + ", or choose another backend with "
                            + "quarkus.lock.backend");
        }
    }

    /** What this JVM holds now. */
    public List<HeldLock> held() {
        List<HeldLock> held = new ArrayList<>();
        for (NameQueue queue : names.all()) {
            for (Hold hold : queue.holds()) {
                if (transactional == null || hold.fencingToken() != 0) {
                    held.add(new HeldLock(hold.name(), hold.fencingToken(), hold.settings.mode(), hold.settings.limit(),
                            Duration.ofNanos(time.nanoTime() - hold.grantedAt()), Duration.ofNanos(hold.validNanos())));
                }
            }
        }
        return held;
    }

    /** Renews one hold now, for another lease from now on. */
    Uni<Void> extend(Hold hold, Duration lease) {
        Lease current = hold.lease();
        renewals.raiseLease(current.grant, lease.toNanos() + afterLossNanos);
        Sent sent = Sent.now(time);
        return answered(hold, backend.renew(List.of(current.grant)), sent, "extended");
    }

    /** Has one hold kept for another lease from now on, which may be shorter than the one it has. */
    Uni<Void> changeLease(Hold hold, Duration lease) {
        Lease current = hold.lease();
        long nanos = Math.max(lease.toNanos(), leastLease(hold, current));
        if (nanos >= current.leaseNanos()) {
            return extend(hold, Duration.ofNanos(nanos));
        }
        Sent sent = Sent.now(time);
        renewals.lowerLease(hold, nanos + afterLossNanos, sent); // first: the answer may be late, or never come
        return answered(hold, backend.shorten(current.grant), sent, "shortened");
    }

    /** The name stays taken if this JVM dies, too; and readers who share a grant have asked for what it has. */
    private long leastLease(Hold hold, Lease current) {
        long atLeast = hold.grantedAt() + hold.holdAtLeastNanos() - time.nanoTime();
        return current.holders().size() > 1 ? Math.max(atLeast, hold.settings.leaseNanos()) : atLeast;
    }

    Uni<Void> changeHoldAtLeast(Hold hold, Duration atLeast) {
        need(Feature.HOLD_AT_LEAST, hold.name(), "changeHoldAtLeast()", "release() at the time");
        if (!hold.settings.exclusive()) {
            return Uni.createFrom().failure(new IllegalStateException("Lock '" + PrintableName.of(hold.name())
                    + "': only who holds a name alone can keep it for some time, but this one is shared or has a limit: "
                    + "release it later instead"));
        }
        long left = hold.grantedAt() + atLeast.toNanos() - time.nanoTime();
        Uni<Void> kept = left > hold.lease().leaseNanos() ? extend(hold, Duration.ofNanos(left)) : Nothing.UNI;
        return kept.onItem().invoke(() -> hold.holdAtLeastNanos(atLeast.toNanos()));
    }

    /** What downgrades holds, and knows which ones it cannot. */
    Downgrades downgrades() {
        return downgrades;
    }

    private Uni<Void> answered(Hold hold, Uni<Renewal> renewed, Sent sent, String what) {
        return renewed.flatMap(renewal -> {
            renewals.answered(renewal, sent);
            if (!renewal.unknown().isEmpty()) {
                return Uni.createFrom().failure(new LockBackendException(hold.name(), "Lock '" + PrintableName.of(hold.name())
                        + "' could not be " + what + ": backend '" + backend.name() + "' did not answer", null));
            }
            return hold.live() ? Nothing.UNI : Uni.createFrom().failure(hold.loss());
        });
    }

    void confirm(Hold hold) {
        Sent sent = Sent.now(time);
        try {
            Renewal renewal = backend.renew(List.of(hold.lease().grant)).await()
                    .atMost(backend.operationTimeout().plusMillis(500));
            renewals.answered(renewal, sent);
        } catch (RuntimeException e) {
            LOG.debugf(e, "Lock '%s' could not be confirmed", PrintableName.of(hold.name()));
        }
    }

    // --- checkpoints of the process

    /** The process is about to be frozen, to be restored later or elsewhere, maybe more than once. */
    public void beforeCheckpoint() {
        claims.close();
    }

    /** The process was restored: nobody knows for how long it was frozen, so no hold is valid before it is confirmed. */
    public void afterRestore() {
        renewals.recheckBeforeUse();
    }

    // --- the end

    /**
     * Refuses new claims and sends those who wait away, then waits until the holders have finished.
     *
     * @param grace how long to wait for them
     * @return whether all have
     */
    public boolean drain(Duration grace) {
        return shutdown.drain(grace);
    }

    /**
     * {@link #drain} without patience; then waits for releases under way, and closes the backend. What is still held stays with
     * its lease, and is reported.
     */
    @Override
    public void close() {
        shutdown.close();
    }

    boolean closing() {
        return shutdown.begun();
    }

    boolean closed() {
        return shutdown.closed();
    }

    void holdGone() {
        if (shutdown.begun()) {
            shutdown.look();
        }
    }

    void releaseStarted() {
        shutdown.releaseStarted();
    }

    void releaseEnded() {
        shutdown.releaseEnded();
    }

    // --- what the backend tells

    @Override
    public void suspect(Grant grant) {
        Lease lease = leaseOf(grant);
        if (lease != null) {
            lease.noLongerThanKept();
            suspect(lease, "the backend is in doubt");
            renewals.recheck(lease);
        }
    }

    void suspect(Lease lease, String reason) {
        for (Hold hold : lease.holders()) {
            if (hold.markSuspect()) {
                events.emit(Kind.SUSPECT, hold, time.nanoTime() - hold.grantedAt(), reason);
            }
        }
    }

    @Override
    public void lost(Grant grant, String reason) {
        Lease lease = leaseOf(grant);
        if (lease != null) {
            lease.queue.lose(lease, reason);
        }
    }

    @Override
    public void waiters(Grant grant, boolean some) {
        Lease lease = leaseOf(grant);
        if (lease != null) {
            lease.othersWait(some, time.nanoTime());
        }
    }

    @Override
    public void releaseRequested(Grant grant) {
        NameQueue queue = names.ifKnown(grant.name());
        if (queue != null) {
            queue.ask(grant);
        }
    }

    @Override
    public void recheck() {
        renewals.recheckAll();
    }

    /** This name's lease, if there is one here, is to be confirmed now. */
    void recheck(String name) {
        NameQueue queue = names.ifKnown(name);
        for (Lease lease = queue == null ? null : queue.lease(); lease != null; lease = lease.next()) {
            renewals.recheck(lease);
        }
    }

    /** This name's lease, if there is one here that is renewed at all, is renewed now instead of later. */
    void renewNow(String name) {
        NameQueue queue = names.ifKnown(name);
        for (Lease lease = queue == null ? null : queue.lease(); lease != null; lease = lease.next()) {
            if (lease.renewalDue() != Long.MAX_VALUE) {
                renewals.renewSoon(lease);
            }
        }
    }

    /** The lease that stands on this grant; {@code null} if there is none any more. */
    @Nullable
    Lease leaseOf(Grant grant) {
        NameQueue queue = names.ifKnown(grant.name());
        Lease inLine = queue == null ? null : queue.leaseOf(grant);
        if (inLine != null) {
            return inLine;
        }
        for (NameQueue apart : names.apartOf(grant.name())) {
            Lease lease = apart.leaseOf(grant);
            if (lease != null) {
                return lease;
            }
        }
        return null;
    }

    /** Why the wait for a refused hold ended. */
    public LockBusyException busy(Hold hold) {
        return failures.busy(hold);
    }

    /** Tells of a busy lock; fails if it was something else that kept the hold from being granted. */
    void refused(Hold hold) {
        Refusal refusal = hold.refusal();
        if (!refusal.busy()) {
            throw refusal.failure();
        }
        events.emit(Kind.BUSY, hold, time.nanoTime() - hold.requestedAt(), refusal.heldBy());
    }

    /** As {@link #refused}, for what is told of it and not thrown. */
    RuntimeException whyRefused(Hold hold) {
        RuntimeException failure = hold.refusal().failure();
        if (failure != null) {
            return failure;
        }
        refused(hold);
        return failures.busy(hold);
    }

    /** It was given back, but its backend did not have it any more. */
    void lostAtRelease(Hold hold, String reason) {
        if (hold.loseAtRelease(reason)) {
            hold.tellLost();
            lostHold(hold, reason);
        }
    }

    void lostHold(Hold hold, String reason) {
        events.emit(Kind.LOST, hold, time.nanoTime() - hold.grantedAt(), reason);
        LOG.warn(hold.loss().getMessage());
        holdGone();
    }

    // --- parts

    /** For locks that live in transactions; {@code null} if this backend's do not. */
    public @Nullable TransactionalLocks transactional() {
        return transactional;
    }

    LockBackend backend() {
        return backend;
    }

    @Nullable
    InMemoryBackend inMemory() {
        return inMemory;
    }

    public LockTime time() {
        return time;
    }

    public CallerThreads threads() {
        return threads;
    }

    /** Runs callbacks of users, and whatever else tells of a hold's news. */
    Executor newsThreads() {
        return newsThreads;
    }

    Events events() {
        return events;
    }

    Margin margin() {
        return margin;
    }

    /** For how much longer than for its holder the backend keeps what is not given back. */
    long afterLossNanos() {
        return afterLossNanos;
    }

    Slice slice() {
        return slice;
    }

    Fencing fencing() {
        return fencing;
    }

    Claims claims() {
        return claims;
    }

    Failures failures() {
        return failures;
    }

    NameTable names() {
        return names;
    }

    Renewals renewals() {
        return renewals;
    }

    Releases releases() {
        return releases;
    }

    ThreadLocks threadLocks() {
        return threadLocks;
    }

    ForgottenHandles forgottenHandles() {
        return forgottenHandles;
    }
}
