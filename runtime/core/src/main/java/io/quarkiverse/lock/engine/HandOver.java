package io.quarkiverse.lock.engine;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.Uni;

/** What becomes of a lease of this name when a hold on it ends: it goes to the next in line, or back, or it is lost. */
abstract sealed class HandOver extends OwnClaims permits NameQueue {

    private static final int YIELDS = 3;

    HandOver(String name, LockEngine engine) {
        super(name, engine);
    }

    /**
     * A hold was released: its lease goes to the next in line if it may, else back to the backend.
     *
     * @param callerWaits whether the current thread is going to wait for the end of that
     */
    Uni<Void> ended(Hold hold, Lease from, boolean callerWaits) {
        if (from instanceof JointLease joint) {
            return ended(hold, joint, callerWaits);
        }
        Hold next = null;
        ClaimAttempt toStart = null;
        long waited = 0;
        boolean lostMeanwhile;
        long now = engine.time().nanoTime();
        if (from.formerMayComeBack(now)) {
            letComeBack();
            now = engine.time().nanoTime();
        }
        lock();
        try {
            lostMeanwhile = lease() != from;
            next = first();
            if (lostMeanwhile) {
                next = null;
            } else if (next != null && attempt == null // whom that is for has to wait for its answer
                    && !engine.closing() && from.mayPassTo(next, now)
                    && !from.clocksParted(engine.time())) {
                removeFirst();
                waited = now - next.requestedAt();
                from.passTo(next, now);
                next.grant(from, now);
            } else {
                next = null;
                remove(from);
                toStart = claimForFirst();
            }
        } finally {
            unlock();
        }
        engine.events().emit(Kind.RELEASED, hold, now - hold.grantedAt(), null);
        if (lostMeanwhile) {
            return endedAfterLoss(hold, from);
        }
        if (next != null) {
            engine.events().emit(Kind.BATON, next, waited, null);
            engine.renewals().added(from);
            next.tellWaiter();
            return Nothing.UNI;
        }
        Uni<Void> released = release(hold, from, callerWaits);
        startOrRest(toStart, hold, from, released);
        return released;
    }

    private Uni<Void> ended(Hold hold, JointLease from, boolean callerWaits) {
        boolean last;
        boolean lostMeanwhile;
        ClaimAttempt toStart = null;
        lock();
        try {
            last = from.leave(hold);
            lostMeanwhile = !has(from);
            if (last && !lostMeanwhile) {
                remove(from);
                toStart = claimForFirst();
            }
        } finally {
            unlock();
        }
        engine.events().emit(Kind.RELEASED, hold, engine.time().nanoTime() - hold.grantedAt(), null);
        if (!last) {
            return Nothing.UNI;
        }
        if (lostMeanwhile) {
            return undone(from);
        }
        Uni<Void> released = release(hold, from, callerWaits);
        startOrRest(toStart, hold, from, released);
        return released;
    }

    /**
     * The next claim comes to the backend behind the release. If others may wait there it is not even made before the
     * release is answered: first they get the lock, then this JVM and the backend turn to who wants it back. Unless that answer
     * may take its time, as the backend is in doubt.
     */
    private void startOrRest(@Nullable ClaimAttempt toStart, Hold ended, Lease from, Uni<Void> released) {
        if (toStart == null || !from.othersMayWait() || ended.releasedInDoubt()) {
            startOrRest(toStart);
            return;
        }
        PendingRelease.whenDone(released, failure -> {
            if (failure != null) {
                toStart.claim.trouble(failure);
            }
            toStart.start(engine.backend());
        });
    }

    /**
     * Whoever unparks a thread on its own core may have to make room for it at once. Without a moment to come back, a slice
     * would end with the first such switch.
     */
    private void letComeBack() {
        if (!engine.threads().blockingForbidden()) {
            for (int i = 0; i < YIELDS && isEmpty(); i++) {
                Thread.yield();
            }
        }
    }

    private Uni<Void> release(Hold hold, Lease from, boolean callerWaits) {
        if (engine.inMemory() == null || hold.holdAtLeastNanos() != 0) {
            return engine.releases().release(hold, from, callerWaits);
        }
        engine.inMemory().releaseNow(from.grant);
        return Nothing.UNI;
    }

    /** The holder of a lost lease has finished: what the backend may still keep of it is ended early. */
    Uni<Void> endedAfterLoss(Hold hold, Lease lost) {
        if (lost instanceof JointLease joint) {
            lock();
            try {
                if (!joint.leave(hold)) {
                    return Nothing.UNI;
                }
            } finally {
                unlock();
            }
        }
        return undone(lost);
    }

    private Uni<Void> undone(Lease lost) {
        engine.releases().undo(lost.grant);
        engine.holdGone();
        return Nothing.UNI;
    }

    void lose(Lease gone, String reason) {
        ClaimAttempt toStart;
        List<Hold> told = new ArrayList<>(1);
        lock();
        try {
            Lease there = leaseOf(gone.grant); // another one if it has been downgraded meanwhile
            if (there == null) {
                return;
            }
            for (Hold hold : there.presentHolders()) {
                if (hold.lose(reason)) { // first, so that a body that ends now does not take it for a release
                    told.add(hold);
                }
            }
            remove(there);
            toStart = claimForFirst();
        } finally {
            unlock();
        }
        for (Hold hold : told) {
            hold.tellLost();
            engine.lostHold(hold, reason);
        }
        startOrRest(toStart);
    }

    /** Somebody wants what stands on this grant. */
    void ask(Grant grant) {
        List<Hold> told = new ArrayList<>(1);
        lock(); // also because a grant may be on its way to its lease
        try {
            Lease asked = leaseOf(grant);
            if (asked == null) {
                return;
            }
            for (Hold hold : asked.presentHolders()) {
                if (hold.ask()) {
                    told.add(hold);
                }
            }
        } finally {
            unlock();
        }
        for (Hold hold : told) {
            hold.tellAsked();
            engine.events().emit(Kind.RELEASE_REQUESTED, hold, engine.time().nanoTime() - hold.grantedAt(), null);
        }
    }
}
