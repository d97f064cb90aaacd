package io.quarkiverse.lock.engine.queue;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.engine.news.LossReasons;
import io.quarkiverse.lock.engine.state.Kept;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Sent;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Keeps grants for a while after their last holder, to hand them over to a caller still to come. The next caller in this JVM
 * takes the grant in memory; any other event ends it. One timer serves all grants; a grant that is soon taken again needs none.
 */
public final class Lingering {

    private static final Logger LOG = Logger.getLogger(Lingering.class);

    private final LockBackend backend;
    private final boolean inMemory;
    private final LockTime time;
    private final NameTable names;
    private final Losses losses;
    private final Renewals renewals;
    private final LeaseLengths lengths;
    private final IdleReleases releases;
    private final EarliestTimer timer;
    /** What to check and when, the earliest first. A look is void once its name has an earlier one. Guarded by the lock. */
    private final PriorityQueue<Look> looks = new PriorityQueue<>(Comparator.comparingLong(Look::at));
    private final ReentrantLock schedule = new ReentrantLock();
    /** The one look per name that is not void. Under the name's guard; kept here because most names are never kept. */
    private final Map<NameQueue, Look> nextLooks = new ConcurrentHashMap<>();
    private volatile boolean paused;

    private record Look(long at, NameQueue queue) {
    }

    public Lingering(LockBackend backend, @Nullable InMemoryBackend inMemory, LockTime time, NameTable names, Losses losses,
            Renewals renewals, LeaseLengths lengths, IdleReleases releases) {
        this.backend = backend;
        this.inMemory = inMemory != null;
        this.time = time;
        this.names = names;
        this.losses = losses;
        this.renewals = renewals;
        this.lengths = lengths;
        this.releases = releases;
        this.timer = new EarliestTimer(time, this::run);
    }

    // --- when the last hold ends

    /**
     * Under the guard: keeps the lease of a hold that has ended, if allowed. {@link #kept} must follow.
     *
     * @return {@code null} if the lease must be given back
     */
    @Nullable
    Kept keep(LockHold ended, Lease lease, long now) {
        if (!ended.settings.lingers() || names.closing() || paused) {
            return null;
        }
        long until = lease.keptUntil(ended, now);
        if (until - now <= 0 || renewals.doubtedSinceSent(lease)) {
            return null;
        }
        NameQueue queue = lease.queue;
        Kept kept = new Kept(lease, now, until);
        queue.keep(kept);
        if (renewals.doubtedSinceSent(lease)) {
            queue.doubtIfKept(lease); // since the last check: the thread that doubted it may not have seen it kept
        }
        Look next = nextLooks.get(queue);
        if (next == null || kept.shortenAt < next.at) {
            lookAt(kept.shortenAt, queue);
            timer.runAt(firstLook());
        } else {
            timer.runAt(next.at); // already planned, unless there was no memory for a timer then
        }
        return kept;
    }

    /** The guard is free: asks the backend for news of waiters elsewhere. */
    void kept(Kept kept) {
        backend.lingers(kept.lease.grant);
    }

    // --- when somebody comes

    /** Under the guard: gives the kept grant to a new hold, if it suits. {@link #taken} must follow. */
    boolean take(Kept kept, LockHold hold, long now) {
        return kept.goTo(hold, now);
    }

    /** The guard is free: a grant that was shortened at the backend is raised to its whole lease again. */
    void taken(Kept kept) {
        Lease lease = kept.lease;
        if (kept.shortened()) {
            try {
                lengths.raise(lease.grant, kept.leaseNanos());
            } catch (LockBackendException e) { // it stays short and is renewed accordingly often
                LOG.debugf("Lock '%s' keeps its shortened lease: %s", PrintableName.of(lease.grant.name()),
                        PrintableName.oneLine(e.toString()));
            }
            renewals.renewSoon(lease); // at once, but in one batch: many may be taken again at the same time
        } else {
            renewals.added(lease);
        }
    }

    // --- what ends it

    /** Others wait for the name elsewhere. */
    public void wantedElsewhere(Lease lease) {
        if (!lease.holder().settings.lingers()) {
            return;
        }
        if (inMemory) {
            time.schedule(0, () -> end(lease)); // the caller may hold the store's own guard
        } else {
            end(lease);
        }
    }

    /** Gives the lease back if it is kept and nobody holds it. */
    public void end(Lease lease) {
        Kept gone = leave(lease);
        if (gone != null) {
            giveBack(gone);
        }
    }

    /** Gives back what is kept of this name, if nobody holds it. */
    public void end(String name) {
        NameQueue queue = names.ifKnown(name);
        Lease lease = queue == null ? null : queue.lease();
        if (lease != null) {
            end(lease);
        }
    }

    /** Gives back all kept grants, and keeps nothing until {@link #resume}. */
    public void pause() {
        paused = true; // first: what is being kept now is in its queue, and seen there
        endAll();
    }

    public void resume() {
        paused = false;
    }

    /** Gives back all kept grants that nobody holds: as there may be many, a limited number at a time. */
    public void endAll() {
        for (NameQueue queue : names.all()) {
            Lease lease = queue.lease();
            Kept gone = lease == null ? null : leave(lease);
            if (gone != null) {
                releases.giveBackInTurn(gone);
            }
        }
    }

    private @Nullable Kept leave(Lease lease) {
        NameQueue queue = lease.queue;
        queue.lock();
        try {
            return queue.keeps(lease) ? leave(queue) : null;
        } finally {
            queue.unlock();
        }
    }

    /** Under the guard: the kept grant of the queue leaves it. {@link #giveBack} must follow. */
    Kept leave(NameQueue queue) {
        releases.announce(queue.kept());
        return queue.leave();
    }

    /** Call it after {@link #leave}, when the guard is free. */
    void giveBack(Kept gone) {
        releases.giveBack(gone);
    }

    // --- what time brings

    /** The caller must hold the queue's guard, and see to it that there will be a run. */
    private void lookAt(long at, NameQueue queue) {
        Look look = new Look(at, queue);
        schedule.lock();
        try {
            looks.add(look);
        } finally {
            schedule.unlock();
        }
        nextLooks.put(queue, look); // last: if there is no memory for one of these, no other look is void
    }

    /** When to run next; {@link Long#MAX_VALUE} for never. */
    private long firstLook() {
        schedule.lock();
        try {
            Look first = looks.peek();
            return first == null || names.closed() ? Long.MAX_VALUE : first.at;
        } finally {
            schedule.unlock();
        }
    }

    private @Nullable Look due(long now) {
        schedule.lock();
        try {
            Look first = looks.peek();
            return first == null || first.at > now ? null : looks.remove();
        } finally {
            schedule.unlock();
        }
    }

    /** If a look fails, those that are due as well are left to the next run. */
    private void run() {
        try {
            boolean shortens = backend.features().contains(Feature.LEASE);
            long now = time.nanoTime();
            for (Look due = due(now); due != null; due = due(now)) {
                look(due, shortens);
            }
        } finally {
            timer.runAgainAt(firstLook());
        }
    }

    private void look(Look due, boolean shortens) {
        NameQueue queue = due.queue;
        Kept gone = null;
        Kept shortened = null;
        Sent sent;
        queue.lock();
        try {
            if (!nextLooks.remove(queue, due)) {
                return; // another look is due earlier
            }
            sent = Sent.now(time);
            Kept kept = queue.kept();
            if (kept == null) {
                return;
            }
            if (kept.unwanted(sent.nanos()) || kept.lease.clocksParted()) {
                gone = leave(queue);
            } else {
                long next = kept.until;
                if (shortens && !kept.shortened()) {
                    if (sent.nanos() - kept.shortenAt < 0) {
                        next = kept.shortenAt;
                    } else if (kept.shorten(sent)) {
                        shortened = kept;
                    }
                }
                lookAt(next, queue);
            }
        } finally {
            queue.unlock();
        }
        if (gone != null) {
            giveBack(gone);
        } else if (shortened != null) {
            shorten(shortened, sent);
        }
    }

    /** A grant whose request has no answer is not used again: the request might still arrive at any time. */
    private void shorten(Kept kept, Sent sent) {
        Grant grant = kept.lease.grant;
        try {
            backend.shortenIdle(grant).subscribe().with(renewal -> shortened(kept, renewal, sent),
                    failure -> end(kept.lease));
        } catch (RuntimeException | Error e) {
            LOG.debugf(e, "Lock '%s' could not be shortened", PrintableName.of(grant.name()));
            end(kept.lease);
        }
    }

    private void shortened(Kept kept, Renewal renewal, Sent sent) {
        if (!renewal.unknown().isEmpty()) {
            end(kept.lease);
        } else if (!renewal.lost().isEmpty()) {
            losses.lose(kept.lease, LossReasons.GONE);
        } else {
            renewals.answered(new Renewal(List.of(kept.lease.grant), List.of(), List.of()), sent);
            kept.lease.queue.lock();
            try {
                kept.answered();
            } finally {
                kept.lease.queue.unlock();
            }
        }
    }
}
