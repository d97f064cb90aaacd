package io.quarkiverse.lock.engine.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.JointLease;
import io.quarkiverse.lock.engine.state.Kept;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.state.TryHold;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;

/** Admits new holds to their name's queue, where they get the lock or leave without it. */
public final class Admission {

    private final LockBackend backend;
    private final @Nullable InMemoryBackend inMemory;
    private final LockTime time;
    private final NameTable names;
    private final Claims claims;
    private final Events events;
    private final ErrorMessages errors;
    private final Renewals renewals;
    private final Lingering lingering;

    /** @param inMemory {@code null} if the backend's answers must be waited for */
    public Admission(LockBackend backend, @Nullable InMemoryBackend inMemory, LockTime time, NameTable names,
            Claims claims, Events events, ErrorMessages errors, Renewals renewals, Lingering lingering) {
        this.backend = backend;
        this.inMemory = inMemory;
        this.time = time;
        this.names = names;
        this.claims = claims;
        this.events = events;
        this.errors = errors;
        this.renewals = renewals;
        this.lingering = lingering;
    }

    /**
     * Puts a new hold in line. It may already have its outcome when this returns.
     *
     * @param thread to unpark when the wait is over
     * @param waiter called when the wait is over
     * @param now when the lock was asked for
     */
    public LockHold ask(String name, HoldSettings settings, @Nullable Thread thread, LockHold.@Nullable Waiter waiter,
            long now) {
        LockHold before = null;
        for (;;) {
            NameQueue queue = names.of(name);
            LockHold hold = settings.waitNanos() == 0 && !settings.exclusive()
                    ? new TryHold(queue, settings, now, thread, waiter)
                    : new LockHold(queue, settings, now, thread, waiter);
            if (before == null) {
                events.requested(hold);
            } else {
                events.moved(before, hold);
            }
            if (names.closing()) {
                hold.refuse(Refusal.failed(errors.closing(name)));
                return hold;
            }
            if (enter(hold)) {
                return hold;
            }
            names.forget(queue);
            before = hold;
        }
    }

    /** A hold outside the line of this JVM: its backend grants it at once, and may grant others too. */
    public LockHold askApart(String name, HoldSettings settings) {
        NameQueue queue = names.apart(name);
        LockHold hold = new LockHold(queue, settings, time.nanoTime(), Thread.currentThread(), null);
        events.requested(hold);
        if (names.closing()) {
            hold.refuse(Refusal.failed(errors.closing(name)));
            names.idle(queue);
            return hold;
        }
        enter(hold);
        return hold;
    }

    /**
     * Asks for the lock on behalf of {@code hold}, which learns the outcome through its waiter, or has it when this returns.
     *
     * @return {@code false} if the queue has left the table: ask its successor
     */
    private boolean enter(LockHold hold) {
        NameQueue queue = hold.queue;
        ClaimAttempt toStart = null;
        Lease crowded = null;
        Kept kept;
        Kept gone = null;
        CompletableFuture<@Nullable Void> leaving;
        boolean taken;
        queue.lock();
        try {
            if (queue.retired()) {
                return false;
            }
            if (names.closing()) { // since the last check: a hold that enters now might miss the last look at the queues
                hold.refuse(Refusal.failed(errors.closing(queue.name)));
                return true;
            }
            kept = queue.kept();
            if (kept != null && !lingering.take(kept, hold, time.nanoTime())) {
                gone = lingering.leave(queue);
            }
            if (hold.live()) {
                // it was kept for this very hold
            } else if (hold instanceof TryHold lone) {
                toStart = enterAlone(queue, lone);
            } else if (!joined(hold)) {
                boolean free = queue.lease() == null && queue.attempt == null && queue.nobodyWaits();
                if (!free && hold.settings.waitNanos() == 0) {
                    hold.refuse(errors.noWait(queue.firstOr(hold), queue.lease(), queue.attempt));
                    return true;
                }
                if (!free && mustStandInLine(queue, hold) || !takenNow(hold)) {
                    crowded = queue.nobodyWaits() && queue.heldAlone() ? queue.lease() : null;
                    queue.addWaiting(hold);
                    toStart = claims.forFirst(queue);
                }
            }
            taken = hold.live(); // a later hand-over to it is reported there
            leaving = toStart == null ? null : queue.leaving();
        } finally {
            queue.unlock();
            if (gone != null) {
                lingering.giveBack(gone); // whatever else happened, or the name would be stuck
            }
        }
        if (taken) {
            events.emit(Kind.GRANTED, hold, 0, null);
        }
        if (kept != null && gone == null) {
            lingering.taken(kept);
        }
        if (toStart != null) {
            claims.startAfter(leaving, toStart);
        } else if (crowded != null) {
            backend.contended(crowded.grant);
        }
        return true;
    }

    /** Whether a hold must join the line. It need not if nobody waits, and it may share the name with the holds of this JVM. */
    private static boolean mustStandInLine(NameQueue queue, LockHold hold) {
        return !queue.nobodyWaits() || queue.lease() == null
                || !hold.settings.goesWith(queue.lease().holder().settings);
    }

    private @Nullable ClaimAttempt enterAlone(NameQueue queue, TryHold hold) {
        if (joined(hold)) {
            return null;
        }
        if (queue.heldAlone() || queue.anyInTheWayOf(hold)) {
            hold.refuse(errors.noWait(queue.firstOr(hold), queue.lease(), queue.attempt));
            return null;
        }
        if (queue.nobodyWaits() && takenNow(hold)) {
            return null;
        }
        return claims.forAlone(hold);
    }

    // --- the lock

    /** Under the guard: whether the hold has joined others of this JVM, without asking the backend. */
    private boolean joined(LockHold hold) {
        NameQueue queue = hold.queue;
        if (!queue.nobodyWaits() || !(queue.lease() instanceof JointLease joint)) {
            return false;
        }
        long now = time.nanoTime();
        if (!joint.mayBeJoinedBy(hold, now)) {
            return false;
        }
        joint.join(hold, now);
        return true;
    }

    /** Under the guard: whether the backend has granted it without a wait. */
    private boolean takenNow(LockHold hold) {
        if (inMemory == null) {
            return false;
        }
        NameQueue queue = hold.queue;
        Grant grant = inMemory.acquireNow(claims.make(queue.name, hold.settings));
        if (grant == null) {
            return false;
        }
        begin(grant, hold, LeaseRules.clockGap(time), time.nanoTime());
        return true;
    }

    /**
     * Under the guard.
     *
     * @param now when the grant was judged worth having: the time for which the lock has been held counts from then
     */
    void begin(Grant grant, LockHold hold, long clockGap, long now) {
        NameQueue queue = hold.queue;
        Lease granted = hold.settings.exclusive() ? new Lease(queue, grant, hold, clockGap, now)
                : new JointLease(queue, grant, hold, clockGap, now);
        if (hold.grant(granted, now)) {
            queue.add(granted);
            if (!grant.provisional()) {
                renewals.added(granted);
            }
        }
    }

    /** A hold that has joined other readers, and how long it waited. */
    record Reader(LockHold hold, long waited) {
    }

    /** Under the guard: the readers at the head of the line that may join. {@link #tell} must follow. */
    List<Reader> letJoin(JointLease joint) {
        NameQueue queue = joint.queue;
        List<Reader> readers = new ArrayList<>();
        long now = time.nanoTime();
        for (LockHold first = queue.firstWaiting(); first != null && joint.suits(first); first = queue.firstWaiting()) {
            queue.removeWaiting(first);
            readers.add(new Reader(first, now - first.requestedAt()));
            joint.join(first, now);
        }
        return readers;
    }

    void tell(List<Reader> readers) {
        for (Reader reader : readers) {
            events.emit(Kind.BATON, reader.hold, reader.waited, null);
            reader.hold.tellWaiter();
        }
    }

    // --- the end of a wait

    /** How long to wait: even a caller that does not want to wait must wait for the backend's answer. */
    public long patience(HoldSettings settings) {
        return settings.waitNanos() == 0 ? 2 * backend.operationTimeout().toNanos() : settings.waitNanos();
    }

    /**
     * Whether a hold whose wait is over should wait a little longer: every wait allows the store one answer, which may have
     * been on its way for a quarter of the operation timeout. That includes a wait that ended while this process was frozen.
     */
    public boolean answerDue(LockHold hold) {
        NameQueue queue = hold.queue;
        queue.lock();
        try {
            if (!hold.waiting()) {
                return false;
            }
            return claims.owing() && !names.closing()
                    || (hold instanceof TryHold lone ? errors.answerDue(lone, queue.lease(), lone.attempt)
                            : errors.answerDue(queue.firstWaiting(), queue.lease(), queue.attempt));
        } finally {
            queue.unlock();
        }
    }

    /**
     * The hold stops waiting.
     *
     * @param why what it fails with; {@code null} to find out what kept it waiting
     * @return {@code false} if it already had its outcome
     */
    public boolean giveUp(LockHold hold, @Nullable Refusal why) {
        NameQueue queue = hold.queue;
        ClaimAttempt toWithdraw = null;
        ClaimAttempt toStart = null;
        queue.lock();
        try {
            if (!hold.waiting()) {
                return false;
            }
            if (hold instanceof TryHold lone) {
                toWithdraw = lone.attempt;
                hold.refuse(why != null ? why : errors.waitOver(lone, queue.lease(), toWithdraw));
                queue.removeAlone(lone);
            } else {
                boolean wasFirst = queue.firstWaiting() == hold;
                hold.refuse(why != null ? why : errors.waitOver(queue.firstWaiting(), queue.lease(), queue.attempt));
                queue.removeWaiting(hold);
                if (wasFirst && queue.attempt != null
                        && (queue.nobodyWaits() || !queue.attempt.suits(queue.firstWaiting()))) {
                    toWithdraw = queue.attempt;
                    queue.attempt = null;
                    toStart = claims.forFirst(queue);
                    if (toStart != null) {
                        toStart.replaces(toWithdraw);
                    }
                }
            }
        } finally {
            queue.unlock();
        }
        if (toWithdraw != null) {
            toWithdraw.withdraw();
        }
        claims.startOrRest(queue, toStart);
        return true;
    }
}
