package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/**
 * Everything this JVM knows about one name: the leases it has, the claim it has sent, and its holds waiting in line. It is
 * data, and serves as its own guard, since every name needs one. {@code Admission}, {@code ClaimAnswers} and {@code HandOver}
 * work on it.
 * <p>
 * The backend gets a claim only for the first in line. The claim stays when that hold gives up while others wait behind it: the
 * JVM keeps its place. Decisions are made under the guard; the backend and the waiters are told once it is free.
 */
public final class NameQueue extends Guard {

    private static final long serialVersionUID = 1L;

    public final String name;
    public final transient LeaseRules rules;

    /** {@code null} while nobody waits, because there may be many names. Changed under the guard. */
    private transient volatile @Nullable HoldList waiting;
    /** The claim for the first in line. */
    public transient @Nullable ClaimAttempt attempt;
    /** Holds that ask outside the line: linked, the last one first. Changed under the guard. */
    private transient volatile @Nullable LockHold alone;
    /** Whether this queue has left the table. Changed under the guard. */
    private volatile boolean retired;
    /** The leases: linked, the newest first; nearly always at most one. Also read without the guard. */
    private transient volatile @Nullable Lease newest;
    /** Set when the only lease is kept without a holder. */
    private transient volatile @Nullable Kept kept;
    /** A kept grant on its way back: completes with the backend's answer; nothing is claimed before that. */
    private transient volatile @Nullable CompletableFuture<@Nullable Void> leaving;

    public NameQueue(String name, LeaseRules rules) {
        this.name = name;
        this.rules = rules;
    }

    // --- what is held: one lease that excludes all others, or any number of compatible ones

    /** The newest, from which {@link Lease#next} leads to the others. */
    @Nullable
    public Lease lease() {
        return newest;
    }

    /** Whether the name is ours alone: then there is nothing to claim, only to wait for. */
    public boolean heldAlone() {
        Lease lease = newest;
        return lease != null && lease.alone();
    }

    @Nullable
    public Lease leaseOf(Grant grant) {
        for (Lease lease = newest; lease != null; lease = lease.next()) {
            if (lease.grant == grant) {
                return lease;
            }
        }
        return null;
    }

    public boolean has(Lease lease) {
        return leaseOf(lease.grant) == lease;
    }

    /** A lease that cannot exist any more, because the backend has granted something incompatible. */
    @Nullable
    public Lease outdatedBy(Grant grant) {
        for (Lease lease = newest; lease != null; lease = lease.next()) {
            if (lease.grant.fence() < grant.fence() && !lease.grant.claim().goesWith(grant.claim())) {
                return lease;
            }
        }
        return null;
    }

    public boolean goesWithAll(Claim claim) {
        Lease lease = newest;
        return lease == null || lease.grant.claim().goesWith(claim);
    }

    /** A grant whose answer took long to arrive may be nearly over, and others may have been granted since. */
    public boolean worthHaving(Grant grant, long now) {
        return goesWithAll(grant.claim()) && rules.worthHaving(grant, now);
    }

    public void add(Lease lease) {
        if (lease instanceof JointLease joint) {
            joint.next(newest);
        }
        newest = lease;
    }

    /** In one step: a reader without the guard sees one or the other. News of waiters reaches the new one here or later. */
    public void replace(Lease alone, JointLease joint) {
        if (newest == alone) {
            joint.next(alone.next());
            newest = joint;
        } else {
            remove(alone);
            add(joint);
        }
        joint.wantedLike(alone);
    }

    public void remove(Lease gone) {
        if (keeps(gone)) {
            kept = null;
        }
        Lease lease = newest;
        if (lease == gone) {
            newest = gone.next();
            return;
        }
        while (lease instanceof JointLease joint) {
            lease = joint.next();
            if (lease == gone) {
                joint.next(gone.next());
                return;
            }
        }
    }

    /** All holds of this JVM. */
    public List<LockHold> holds() {
        Lease first = lease();
        if (first == null) {
            return Collections.emptyList(); // its iterator is shared: most queues have no holds, and all are asked
        }
        List<LockHold> holds = new ArrayList<>(1);
        for (Lease own = first; own != null; own = own.next()) {
            holds.addAll(own.holders());
        }
        return holds;
    }

    // --- what is kept without a holder: nobody waits here then, and nothing is claimed

    /** A grant that nobody holds any more and that is not yet given back. Also read without the guard. */
    @Nullable
    public Kept kept() {
        return kept;
    }

    public boolean keeps(Lease lease) {
        Kept idle = kept;
        return idle != null && idle.lease == lease;
    }

    /** Whether this lease is all that this JVM has of the name, and it wants nothing more. */
    boolean mayKeep(Lease lease) {
        return newest == lease && lease.next() == null && nobodyWaits() && attempt == null && alone == null;
    }

    public void keep(Kept idle) {
        kept = idle;
    }

    /** It has a holder again. */
    void taken() {
        kept = null;
    }

    /** It is about to be given back; {@link #left} completes that. */
    public Kept leave() {
        Kept gone = kept;
        remove(gone.lease);
        gone.leaving();
        leaving = gone.left;
        return gone;
    }

    /** {@code null} if nothing is on its way back. */
    @Nullable
    public CompletableFuture<@Nullable Void> leaving() {
        return leaving;
    }

    /** Takes the guard. Whatever waited for this continues. */
    public void left(Kept gone) {
        lock();
        try {
            if (leaving == gone.left) {
                leaving = null;
            }
        } finally {
            unlock();
        }
        gone.left.complete(null);
    }

    /** The lease is in doubt. If nobody holds it, no caller gets it any more, and this returns {@code true}. */
    public boolean doubtIfKept(Lease lease) {
        Kept idle = kept;
        if (idle == null || idle.lease != lease) {
            return false;
        }
        idle.doubt();
        return true;
    }

    // --- waiting holds

    /** Whether nobody is in line. Also read without the guard. */
    public boolean nobodyWaits() {
        return waiting == null;
    }

    /** The first in line. */
    @Nullable
    public LockHold firstWaiting() {
        HoldList line = waiting;
        return line == null ? null : line.first();
    }

    public LockHold firstOr(LockHold hold) {
        LockHold first = firstWaiting();
        return first == null ? hold : first;
    }

    /** Under the guard: the first in line has its answer. */
    public void answered(ClaimAttempt first) {
        attempt = null;
        HoldList line = waiting;
        if (line != null) {
            line.hadToWait = first.claim.taken();
        }
    }

    /** Under the guard: joins the line. */
    public void addWaiting(LockHold hold) {
        HoldList line = waiting;
        if (line == null) {
            line = new HoldList();
        }
        line.append(hold);
        waiting = line;
    }

    /** Under the guard: leaves the line. */
    public void removeWaiting(LockHold hold) {
        HoldList line = Objects.requireNonNull(waiting);
        line.remove(hold);
        if (line.isEmpty()) {
            waiting = null;
        }
    }

    /** Under the guard: takes the first out of the line. */
    public LockHold removeFirstWaiting() {
        LockHold first = firstWaiting();
        if (first == null) {
            throw new IllegalStateException("Nobody waits");
        }
        removeWaiting(first);
        return first;
    }

    /** Takes the guard. */
    @Nullable
    public LockHold firstInLine() {
        lock();
        try {
            return firstWaiting();
        } finally {
            unlock();
        }
    }

    /** The holds in line, and those that ask outside it. Takes the guard if there are any. */
    public List<LockHold> allWaiting() {
        if (nobodyWaits() && alone == null) {
            return Collections.emptyList();
        }
        lock();
        try {
            List<LockHold> all = new ArrayList<>();
            HoldList line = waiting;
            if (line != null) {
                line.addAllTo(all);
            }
            for (LockHold hold = alone; hold != null; hold = hold.next) {
                all.add(hold);
            }
            return all;
        } finally {
            unlock();
        }
    }

    /**
     * Whether a waiter is in line that the hold must not overtake: one of an incompatible mode or, if there is no room for all
     * of them, one with a limit that has no claim at the backend yet, as only the first in line has one.
     */
    public boolean anyInTheWayOf(TryHold hold) {
        HoldList line = waiting;
        boolean full = line != null && line.hadToWait || attempt != null && attempt.claim.taken();
        LockHold known = attempt == null ? null : firstWaiting();
        for (LockHold each = firstWaiting(); each != null; each = each.next) {
            if (!each.settings.goesWith(hold.settings) || full && each.settings.limit() > 0 && each != known) {
                return true;
            }
        }
        return false;
    }

    // --- holds that ask outside the line

    public boolean anyAlone() {
        return alone != null;
    }

    /** Under the guard. {@link #removeAlone} must follow. */
    public void addAlone(TryHold hold) {
        LockHold before = alone;
        if (before != null) {
            before.previous = hold;
            hold.next = before;
        }
        alone = hold;
    }

    /** Under the guard, and before it is granted: after that, the same links lead to the sharers of its grant. */
    public void removeAlone(TryHold hold) {
        LockHold previous = hold.previous;
        LockHold next = hold.next;
        if (previous == null) {
            alone = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
        hold.previous = null;
        hold.next = null;
    }

    // --- whether it is in use

    /** Whether nothing is held or wanted here, and nothing is under way. */
    private boolean atRest() {
        return newest == null && attempt == null && nobodyWaits() && alone == null && leaving == null && !retired;
    }

    /**
     * Enters a hold that is requested together with holds of other names, if this queue is at rest.
     * {@code ClaimAnswers.grantedAlone} or {@code ClaimAnswers.refusedAlone} must follow.
     *
     * @param closed checked under the guard: whether new holds are no longer admitted
     */
    public boolean enterTogether(TryHold hold, BooleanSupplier closed) {
        lock();
        try {
            boolean free = atRest() && !closed.getAsBoolean();
            if (free) {
                addAlone(hold);
            }
            return free;
        } finally {
            unlock();
        }
    }

    public boolean retired() {
        return retired;
    }

    /** Takes the queue out of use if nothing is going on. */
    public boolean retire() {
        lock();
        try {
            if (atRest()) {
                retired = true;
            }
            return retired;
        } finally {
            unlock();
        }
    }
}
