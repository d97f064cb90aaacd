package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/**
 * All that this JVM has to do with one name: what it holds, the claim it has sent for it, and its holds waiting in line. It is
 * data, and its own guard, since every name has one; {@code Admission}, {@code ClaimAnswers} and {@code HandOver} work on it.
 * <p>
 * Only the first in line is claimed for at the backend, and the claim outlives it when it gives up while others wait behind it:
 * the JVM keeps its place. Decisions are made under the guard; the backend and the waiters hear of them after it is free.
 */
public final class NameQueue extends Guard {

    private static final long serialVersionUID = 1L;

    public final String name;
    public final transient LeaseRules rules;

    /** {@code null} while nobody waits, as there may be many names. Changed under the guard. */
    private transient volatile @Nullable HoldList waiting;
    /** The claim for the first in line. */
    public transient @Nullable ClaimAttempt attempt;
    /** Who asks and stands in no line: linked, the last one first. Changed under the guard. */
    private transient volatile @Nullable LockHold alone;
    /** Whether this queue has left the table. Changed under the guard. */
    private volatile boolean retired;
    /** What is held: linked, the newest first. Nearly always there is one at most. Read without the guard, too. */
    private transient volatile @Nullable Lease newest;
    /** The one lease that there is then, although nobody holds it. */
    private transient volatile @Nullable Kept kept;
    /** What was kept is on its way back: ends with the backend's answer, before which nothing is asked for. */
    private transient volatile @Nullable CompletableFuture<@Nullable Void> leaving;

    public NameQueue(String name, LeaseRules rules) {
        this.name = name;
        this.rules = rules;
    }

    // --- what is held: one lease that excludes all others, or any number of a kind that goes together

    /** The newest, from which {@link Lease#next} leads to the others. */
    @Nullable
    public Lease lease() {
        return newest;
    }

    /** Whether the name is ours alone: nothing can be asked for then, only waited for. */
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

    /** One that the backend has granted something else over: it cannot be there any more. */
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

    /** A grant whose answer was long on the way may be as good as over, and others may have been granted since. */
    public boolean worthHaving(Grant grant, long now) {
        return goesWithAll(grant.claim()) && rules.worthHaving(grant, now);
    }

    public void add(Lease lease) {
        if (lease instanceof JointLease joint) {
            joint.next(newest);
        }
        newest = lease;
    }

    /** In one step: who looks without the guard sees the one or the other. */
    public void replace(Lease alone, JointLease joint) {
        if (newest == alone) {
            joint.next(alone.next());
            newest = joint;
        } else {
            remove(alone);
            add(joint);
        }
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
            return Collections.emptyList(); // whose iterator is always the same: most have none, and all are asked
        }
        List<LockHold> holds = new ArrayList<>(1);
        for (Lease own = first; own != null; own = own.next()) {
            holds.addAll(own.holders());
        }
        return holds;
    }

    // --- what is kept though nobody holds it: nobody waits here then, and nothing is asked for

    /** Nobody holds it any more, and it is not given back yet. Read without the guard, too. */
    @Nullable
    public Kept kept() {
        return kept;
    }

    public boolean keeps(Lease lease) {
        Kept idle = kept;
        return idle != null && idle.lease == lease;
    }

    /** If this JVM has nothing but this lease here, and wants nothing more. */
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

    /** It is about to be given back, which {@link #left} ends. */
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

    /** Takes the guard. Who has waited for this goes on. */
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

    /** The lease may not be what it seems to be: if nobody holds it, nobody gets it any more. Whether that is so. */
    public boolean doubted(Lease lease) {
        Kept idle = kept;
        if (idle == null || idle.lease != lease) {
            return false;
        }
        idle.doubt();
        return true;
    }

    // --- who waits

    /** Whether there is nobody in line. Read without the guard, too. */
    public boolean nobodyWaits() {
        HoldList line = waiting;
        return line == null || line.isEmpty();
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

    /** Under the guard: joins the line. */
    public void addWaiting(LockHold hold) {
        HoldList line = waiting;
        if (line == null) {
            line = new HoldList();
            waiting = line;
        }
        line.append(hold);
    }

    /** Under the guard: leaves the line. */
    public void removeWaiting(LockHold hold) {
        HoldList line = waiting;
        if (line == null) {
            throw new IllegalStateException("Nobody waits");
        }
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

    /** Those in line, and those who ask and stand in none. Takes the guard if there are any. */
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

    /** Never overtakes a waiter of an incompatible mode. */
    public boolean anyInTheWayOf(TryHold hold) {
        for (LockHold each = firstWaiting(); each != null; each = each.next) {
            if (!each.settings.goesWith(hold.settings)) {
                return true;
            }
        }
        return false;
    }

    // --- who asks and stands in no line

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

    /** Under the guard, and before it is held: then the same links lead to those who share its grant. */
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

    /** Whether there is nothing of this name here, and nothing under way. */
    private boolean atRest() {
        return newest == null && attempt == null && nobodyWaits() && alone == null && leaving == null && !retired;
    }

    /**
     * For a hold that is asked for together with holds of other names, if there is nothing of this name here.
     * {@code ClaimAnswers.grantedAlone} or {@code ClaimAnswers.refusedAlone} must follow.
     *
     * @param closed asked under the guard: whether nobody new is let in any more
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
