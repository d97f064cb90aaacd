package io.quarkiverse.lock.engine.queue;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.JointLease;
import io.quarkiverse.lock.engine.state.Kept;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.Uni;

/** Decides where a lease goes when a hold on it ends: to the next in line, or back to the backend. */
public final class HandOver {

    private static final int YIELDS = 3;

    private final LockBackend backend;
    private final @Nullable InMemoryBackend inMemory;
    private final LockTime time;
    private final CallerThreads threads;
    private final Events events;
    private final NameTable names;
    private final Claims claims;
    private final Renewals renewals;
    private final Releases releases;
    private final Losses losses;
    private final Lingering lingering;

    /** @param inMemory {@code null} if the backend's answers must be waited for */
    public HandOver(LockBackend backend, @Nullable InMemoryBackend inMemory, LockTime time, CallerThreads threads,
            Events events, NameTable names, Claims claims, Renewals renewals, Releases releases, Losses losses,
            Lingering lingering) {
        this.backend = backend;
        this.inMemory = inMemory;
        this.time = time;
        this.threads = threads;
        this.events = events;
        this.names = names;
        this.claims = claims;
        this.renewals = renewals;
        this.releases = releases;
        this.losses = losses;
        this.lingering = lingering;
    }

    // --- users who leave

    /**
     * Removes one user. The last one to leave gives the lock back, or hands it to the next in this JVM. This happens with the
     * call, not with the subscription.
     *
     * @return completes when the backend has answered, or at once if there is nothing to ask
     */
    public Uni<Void> leave(LockHold hold) {
        return leave(hold, false);
    }

    /** Like {@link #leave(LockHold)}; {@code callerWaits} if the current thread will wait for the answer. */
    public Uni<Void> leave(LockHold hold, boolean callerWaits) {
        return leave(hold, callerWaits, true);
    }

    /** Like {@link #leave(LockHold)}, for a user that has run nothing under it: the name neither stays taken nor lingers. */
    public Uni<Void> leaveUnused(LockHold hold) {
        return leave(hold, false, false);
    }

    private Uni<Void> leave(LockHold hold, boolean callerWaits, boolean lastHasUsed) {
        if (!hold.leftByLast()) {
            return Nothing.UNI;
        }
        boolean used = lastHasUsed || hold.joined();
        // Only a name that would stay taken needs the other state, in which a doubt or a loss is no longer known
        if (used || hold.holdAtLeastNanos() == 0 ? hold.markReleased() : hold.markReleasedUnused()) {
            return over(hold, ended(hold, callerWaits, used));
        }
        return hold.markedLost() ? over(hold, endedAfterLoss(hold, used)) : Nothing.UNI;
    }

    /** If there is an answer to wait for, {@link Releases} notifies the hold's followers. */
    private Uni<Void> over(LockHold hold, Uni<Void> release) {
        if (release == Nothing.UNI) {
            events.over(hold);
        }
        return release;
    }

    /** Leaves all of them, the last one first; completes when the backend has answered. */
    public Uni<Void> leave(Held held) {
        return held instanceof LockHold hold ? leave(hold) : leave((Holds) held, true);
    }

    /**
     * Gives back the holds under which nothing has run yet, the last one first. Failures are logged and retried where they
     * occur.
     */
    public Uni<Void> giveBack(Held held) {
        return held instanceof LockHold hold ? leaveUnused(hold) : leave((Holds) held, false);
    }

    private Uni<Void> leave(Holds holds, boolean used) {
        List<Uni<Void>> answers = new ArrayList<>(holds.size());
        for (int i = holds.size() - 1; i >= 0; i--) {
            LockHold hold = holds.get(i);
            if (!hold.refused()) {
                Uni<Void> release = used ? leave(hold) : leaveUnused(hold);
                if (release != Nothing.UNI) {
                    answers.add(release);
                }
            }
        }
        return Releases.PendingRelease.all(answers);
    }

    /** It was this caller's turn, but it could not get the lock. */
    public void takeBack(LockHold hold, Refusal why, long requestedAt) {
        boolean takenBack;
        hold.queue.lock(); // or a loss now could overwrite the reason of the refusal
        try {
            takenBack = hold.takeBack(why, requestedAt);
        } finally {
            hold.queue.unlock();
        }
        if (takenBack) {
            over(hold, ended(hold, false, false));
        } else {
            finish(hold);
        }
    }

    /** The lock has ended as it should: the hold ends too, even if it is still in use. */
    public void finish(LockHold hold) {
        hold.noUsersAnyMore();
        if (hold.markReleased()) {
            over(hold, ended(hold, false, true));
        } else if (hold.markedLost()) {
            over(hold, endedAfterLoss(hold, true));
        }
    }

    // --- where the lease goes

    /**
     * A hold was released: its lease goes to the next in line if allowed, else back to the backend.
     *
     * @param callerWaits whether the current thread will wait for that to complete
     * @param used whether its user may have run anything under it: otherwise this JVM does not keep the lease for others
     */
    private Uni<Void> ended(LockHold hold, boolean callerWaits, boolean used) {
        Lease from = hold.lease();
        if (from instanceof JointLease joint) {
            return ended(hold, joint, callerWaits, used);
        }
        NameQueue queue = hold.queue;
        LockHold next = null;
        ClaimAttempt toStart = null;
        long waited = 0;
        boolean lostMeanwhile;
        Kept kept = null;
        boolean atOnce = releasedAtOnce(hold);
        long now = time.nanoTime();
        if (from.formerMayComeBack(now)) {
            letComeBack(queue);
            now = time.nanoTime();
        }
        queue.lock();
        try {
            lostMeanwhile = queue.lease() != from;
            next = queue.firstWaiting();
            if (lostMeanwhile) {
                next = null;
            } else if (next != null && queue.attempt == null // the hold it is for must wait for its answer
                    && !names.closing() && from.mayPassTo(next, now)
                    && !from.clocksParted()) {
                queue.removeFirstWaiting();
                waited = now - next.requestedAt();
                from.passTo(next, now);
                next.grant(from, now);
            } else {
                next = null;
                kept = used ? lingering.keep(hold, from, now) : null;
                if (!atOnce && kept == null) {
                    queue.remove(from);
                    toStart = claims.forFirst(queue);
                } else if (kept == null) {
                    from.goesBack();
                }
            }
        } finally {
            queue.unlock();
        }
        events.emit(Kind.RELEASED, hold, now - hold.grantedAt(), null);
        if (lostMeanwhile) {
            return endedAfterLoss(hold, true);
        }
        if (next != null) {
            events.emit(Kind.BATON, next, waited, null);
            renewals.added(from);
            next.tellWaiter();
            return Nothing.UNI;
        }
        return keptOrReleased(hold, from, callerWaits, kept, atOnce, toStart);
    }

    private Uni<Void> ended(LockHold hold, JointLease from, boolean callerWaits, boolean used) {
        NameQueue queue = hold.queue;
        boolean last;
        Kept kept = null;
        boolean lostMeanwhile;
        long now = time.nanoTime();
        boolean atOnce = releasedAtOnce(hold);
        ClaimAttempt toStart = null;
        queue.lock();
        try {
            last = from.leave(hold);
            lostMeanwhile = !queue.has(from);
            kept = used && last && !lostMeanwhile ? lingering.keep(hold, from, now) : null;
            if (last && !lostMeanwhile && !atOnce && kept == null) {
                queue.remove(from);
                toStart = claims.forFirst(queue);
            }
        } finally {
            queue.unlock();
        }
        events.emit(Kind.RELEASED, hold, now - hold.grantedAt(), null);
        if (!last) {
            return Nothing.UNI;
        }
        if (lostMeanwhile) {
            return undone(from, hold);
        }
        return keptOrReleased(hold, from, callerWaits, kept, atOnce, toStart);
    }

    /**
     * Nobody in line here gets the lease.
     *
     * @param kept the kept grant, if this JVM keeps it for the next caller
     * @param atOnce whether it is released at once: it is still in the queue, so that nothing is claimed until the backend has
     *        it back
     */
    private Uni<Void> keptOrReleased(LockHold hold, Lease from, boolean callerWaits, @Nullable Kept kept, boolean atOnce,
            @Nullable ClaimAttempt toStart) {
        if (kept != null) {
            lingering.kept(kept);
            return Nothing.UNI;
        }
        if (atOnce) {
            return releaseNow(hold, from);
        }
        Uni<Void> released = releases.release(hold, from, callerWaits);
        startOrRest(toStart, hold, released);
        return released;
    }

    /**
     * The next claim reaches the backend after the release. If others may wait there, it is not even sent before the release is
     * answered. So they get the lock first, and only then does this JVM claim it again. The exception is a backend in doubt,
     * which may take long to answer.
     */
    private void startOrRest(@Nullable ClaimAttempt toStart, LockHold ended, Uni<Void> released) {
        if (toStart == null || !ended.lease().othersMayWait() || ended.releasedInDoubt()) {
            claims.startOrRest(ended.queue, toStart);
            return;
        }
        Releases.PendingRelease.whenDone(released, failure -> {
            if (failure != null) {
                toStart.claim.trouble(failure);
            }
            toStart.start(backend);
        });
    }

    /**
     * Gives the previous holder's thread a moment to ask again. A thread that unparks another one may lose its core to it at
     * once, and without this moment, a slice would end with the first such switch.
     */
    private void letComeBack(NameQueue queue) {
        if (!threads.blockingForbidden()) {
            for (int i = 0; i < YIELDS && queue.nobodyWaits(); i++) {
                Thread.yield();
            }
        }
    }

    private boolean releasedAtOnce(LockHold hold) {
        return inMemory != null && hold.holdAtLeastNanos() == 0;
    }

    /**
     * The lease stays in the queue until the backend has it back. A claim in between would be refused there, and would then
     * stand in the way of a caller that asks after this has returned.
     */
    private Uni<Void> releaseNow(LockHold hold, Lease from) {
        NameQueue queue = from.queue;
        String loss = null;
        try {
            inMemory.releaseNow(from.grant);
        } catch (LockLostException e) {
            loss = e.getMessage();
        } finally {
            ClaimAttempt toStart = null;
            queue.lock();
            try {
                if (queue.has(from)) { // else the backend has meanwhile granted us the name again
                    queue.remove(from);
                    toStart = claims.forFirst(queue);
                }
            } finally {
                queue.unlock();
            }
            claims.startOrRest(queue, toStart);
        }
        if (loss != null) {
            losses.lostAtRelease(hold, loss);
        }
        return Nothing.UNI;
    }

    /**
     * The holder of a lost lease has finished: if the backend still keeps the lease, it ends early, but not before its name may
     * be free.
     *
     * @param used whether anything may have run under it
     */
    private Uni<Void> endedAfterLoss(LockHold hold, boolean used) {
        Lease lost = hold.lease();
        if (lost instanceof JointLease joint) {
            hold.queue.lock();
            try {
                if (!joint.leave(hold)) {
                    return Nothing.UNI;
                }
            } finally {
                hold.queue.unlock();
            }
        }
        return undone(lost, used ? hold : null);
    }

    private Uni<Void> undone(Lease lost, @Nullable LockHold used) {
        releases.undo(lost.grant, used);
        names.holdGone();
        return Nothing.UNI;
    }
}
