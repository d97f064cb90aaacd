package io.quarkiverse.lock.engine.state;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Grant;

/**
 * A grant that this JVM has, with how long it is good for. Its holder changes when it is handed on inside the JVM (the baton):
 * then the next hold gets the next fencing token of the grant's block.
 */
public class Lease {

    private static final long THREAD_SWITCH = 50_000;
    /** Decades from any gap that there is. */
    private static final long NO_GAP = -1_000_000_000_000L;
    private static final int GOING_BACK = -1;

    public final NameQueue queue;
    public final Grant grant;

    private volatile LockHold holder;
    /** {@link #GOING_BACK} in the end: there is a lease for each call, and a field more would make it larger. */
    private int handOvers;

    private volatile long deadline;
    private volatile long renewalDue;
    /** Wall clock minus monotonic clock when last confirmed: they part when the machine is suspended. */
    private volatile long clockGap;
    private volatile boolean seenParted;
    private volatile boolean othersWait;
    private volatile boolean shortened;
    /** What is asked of the backend is whether it is still there: it is not to last for longer. */
    private volatile boolean onlyChecked;
    /** From then on it is not handed on inside this JVM any more. */
    private volatile long sliceEnd;

    /** @param clockGap as it was before the grant was asked for: a suspension since then is not covered by it */
    public Lease(NameQueue queue, Grant grant, LockHold holder, long clockGap, long now) {
        this.queue = queue;
        this.grant = grant;
        this.holder = holder;
        this.sliceEnd = now + queue.rules.slice(othersMayWait());
        this.deadline = queue.rules.deadline(grant.sentAt(), queue.rules.granted(grant));
        this.clockGap = clockGap;
        this.renewalDue = firstRenewal(holder, grant.sentAt());
    }

    /** What takes the place of another lease on the same grant. Renewals of the other may be under way: look after it. */
    public Lease(Lease other) {
        this.queue = other.queue;
        this.grant = other.grant;
        this.holder = other.holder;
        this.handOvers = other.handOvers;
        this.deadline = other.deadline;
        this.renewalDue = other.renewalDue;
        this.clockGap = other.clockGap;
        this.othersWait = other.othersWait;
        this.shortened = other.shortened;
        this.onlyChecked = other.onlyChecked;
        this.sliceEnd = other.sliceEnd;
    }

    private long firstRenewal(LockHold holder, long from) {
        return holder.settings.renew() ? from + LeaseRules.renewalInterval(leaseNanos()) : Long.MAX_VALUE;
    }

    /** For how long each renewal keeps it for us. */
    public final long leaseNanos() {
        return ours(grant.leaseNanos());
    }

    final long ours(long kept) {
        return kept - queue.rules.afterLossNanos;
    }

    /** One of the holders, where there are several. */
    public final LockHold holder() {
        return holder;
    }

    public final void holder(LockHold next) {
        holder = next;
    }

    /** Takes the queue's guard. */
    public List<LockHold> holders() {
        return presentHolders();
    }

    /** For who has the queue's guard. None while it is only kept. */
    public List<LockHold> presentHolders() {
        return queue.keeps(this) ? List.of() : List.of(holder);
    }

    public void markConfirmed() {
        holder.markConfirmed();
    }

    /** Another one that this JVM has of the same name; {@code null} if there is none more. */
    @Nullable
    public Lease next() {
        return null;
    }

    /** Whether nobody else holds the name. */
    boolean alone() {
        return true;
    }

    /** 0 if it is only the turn in this JVM: the lock comes later, with its token. */
    long token() {
        return queue.rules.handedOn ? queue.rules.fencing.token(grant.fence(), handOvers) : 0;
    }

    /** When the lease ends for us: earlier than for the backend. */
    public long deadline() {
        return deadline;
    }

    /** When to renew next; {@link Long#MAX_VALUE} for never. */
    public long renewalDue() {
        return renewalDue;
    }

    public void renewalDue(long at) {
        if (renewalDue == Long.MAX_VALUE && !grant.provisional()) {
            onlyChecked = true; // it is not renewed any more: who has it is only to know whether that is so
        }
        renewalDue = at;
    }

    /** Whether the machine seems to have been suspended since the last confirmation, so that the deadline cannot be trusted. */
    public boolean clocksParted() {
        // One that is about to be kept for longer has the margin of what was confirmed
        return queue.rules.clocksParted(clockGap, Math.min(keptNanos(), queue.rules.granted(grant)));
    }

    /** Whether nobody has been told so far that the clocks have parted since the last confirmation. */
    public boolean firstSeenParted() {
        boolean first = !seenParted;
        seenParted = true;
        return first;
    }

    /** As if the machine had been suspended: the next confirmation ends it. */
    public void distrustClocks() {
        clockGap = NO_GAP;
    }

    /**
     * The backend keeps the grant that long from when the renewal was sent; all else about it stays as doubtful as it is.
     *
     * @param wanted whether somebody has asked for just that; else it ends when it was to end, if it is not renewed any more
     */
    public void keptFor(long nanos, Sent sent, boolean wanted) {
        long until = queue.rules.deadline(sent.nanos(), ours(nanos));
        if (until - deadline > 0 && (wanted || !onlyChecked)) {
            deadline = until;
        }
        grant.confirmed(sent.nanos());
        noLongerThanKept(); // which may have changed since the answer
    }

    /**
     * The backend has been told to keep it for less than before, and may or may not have heard it. It is not passed on any
     * more: whoever comes next has asked for more.
     */
    public void shortened(Sent sent) {
        shortened = true;
        long lease = leaseNanos();
        deadline = Math.min(deadline, queue.rules.deadline(sent.nanos(), lease));
        if (renewalDue != Long.MAX_VALUE) {
            renewalDue = Math.min(renewalDue, sent.nanos() + LeaseRules.renewalInterval(lease));
        }
    }

    /**
     * Nobody holds it: the backend is to keep it for no longer than that, and the margin that its whole lease has, or half as
     * much again where a margin is configured.
     *
     * @return {@code false} if it keeps it for no longer anyway
     */
    boolean shortenedTo(long left, Sent sent) {
        long margin = queue.rules.safetyMargin(leaseNanos());
        long lease = left + margin;
        if (queue.rules.safetyMargin(lease) > margin / 2) {
            lease += margin / 2; // or who comes late would find less than it takes to extend it
        }
        if (sent.nanos() + lease - (grant.sentAt() + queue.rules.granted(grant)) >= 0) {
            return false;
        }
        grant.leaseNanos(lease + queue.rules.afterLossNanos);
        deadline = Math.min(deadline, queue.rules.deadline(sent.nanos(), lease));
        return true;
    }

    /**
     * By the queue's guard: whether the backend has answered whatever has told it to keep it for less. Who holds what was
     * shortened while nobody held it has waited for that; of what its holder has changed nobody can say.
     */
    public boolean mayBeKeptWhole() {
        return !shortened && !queue.keeps(this);
    }

    /** The backend may have come to keep it for less than when it was confirmed last: then that was for less as well. */
    public void noLongerThanKept() {
        long until = queue.rules.deadline(grant.sentAt(), leaseNanos());
        if (until - deadline < 0) {
            deadline = until;
        }
    }

    /** It need not be confirmed again before its time. */
    public void confirmedBy(Sent sent, long kept) {
        clockGap = sent.clockGap();
        seenParted = false;
        LockHold current;
        do {
            current = holder;
            renewalDue = mayRenewAt(sent.nanos(), current) ? sent.nanos() + LeaseRules.renewalInterval(ours(kept))
                    : Long.MAX_VALUE;
        } while (holder != current); // it was passed to one that may be renewed for longer
    }

    /** For a renewal that was sent before a doubt: what it left undone is due as it was, or with the next regular renewal. */
    public void renewalDueAfter(Sent sent, long kept) {
        if (mayRenewAt(sent.nanos(), holder)) {
            renewalDue = Math.min(renewalDue, sent.nanos() + LeaseRules.renewalInterval(ours(kept)));
        }
    }

    private static boolean mayRenewAt(long now, LockHold current) {
        return current.settings.renew() && now - current.grantedAt() < current.settings.maxHoldNanos();
    }

    /** Whether somebody waits for it elsewhere, or might without being known here. */
    public final boolean othersMayWait() {
        return othersWait || !queue.rules.waitersAreKnown();
    }

    public void othersWait(boolean some, long now) {
        if (some != othersWait) {
            othersWait = some;
            long end = now + queue.rules.slice(othersMayWait());
            sliceEnd = some ? Math.min(sliceEnd, end) : end;
        }
    }

    /** Whether the grant may be handed on to the next local waiter instead of going back to the backend. */
    public boolean mayPassTo(LockHold next, long now) {
        return now < sliceEnd && !shortened
                && !holder.releasedInDoubt()
                && !holder.askedFor() // by somebody elsewhere, maybe
                && queue.rules.handedOn
                && handOvers + 1 < queue.rules.handOvers(othersMayWait())
                && next.settings.exclusive()
                && next.settings.leaseNanos() == holder.settings.leaseNanos()
                && leaseNanos() <= next.settings.leaseNanos() // a backend may give less, an extension more
                && next.settings.renew() && holder.settings.renew()
                // whose name is to stay taken has nothing to hand on, and needs a whole lease of its own
                && holder.holdAtLeastNanos() == 0 && next.settings.holdAtLeastNanos() == 0
                && deadline - now >= enoughToPass();
    }

    /** One that is being confirmed can be handed on meanwhile: most are given back before the answer is there. */
    final long enoughToPass() {
        return keptNanos() / 3;
    }

    /** Whether it is kept for less than it was asked for. */
    final boolean isShortened() {
        return shortened;
    }

    /** For how long the backend keeps it from when it was confirmed last. */
    private long keptNanos() {
        return grant.provisional() ? queue.rules.granted(grant) : leaseNanos();
    }

    /**
     * The hold was shorter than a switch of threads takes, and came from another one here: that one's thread may be on its way
     * back, and had no chance to get in line.
     */
    public boolean formerMayComeBack(long now) {
        return handOvers > 0 && holder.settings.lingerNanos() == 0 && now - holder.grantedAt() < THREAD_SWITCH;
    }

    /** As far as this JVM knows nobody waits elsewhere, and it is not so long ago that it would have to ask again. */
    public final boolean undisturbed(long now) {
        return !othersWait && now < sliceEnd;
    }

    /**
     * By the queue's guard: its holder has finished, and it is about to go back to the backend at once. That it is gone then
     * means nothing: whoever gives it back is told whether it was gone before. One of a transaction ends with that.
     */
    public void goesBack() {
        if (queue.rules.handedOn) {
            handOvers = GOING_BACK;
        }
    }

    /** Whether that it is gone is no loss by itself. By the queue's guard. */
    public boolean goingBack() {
        return handOvers == GOING_BACK;
    }

    // --- when nobody holds it

    /**
     * Until when this JVM may keep it now that its last hold has ended; not after {@code now} if it may not. Where waiters are
     * known it ends with the news of one; in case that gets lost, and where they are not known, there is an end to it however
     * often it is taken again.
     */
    public long keptUntil(LockHold ended, long now) {
        long linger = ended.settings.lingerNanos();
        if (linger == 0 || !mayBeKept(ended) || !queue.mayKeep(this)) {
            return now;
        }
        long longest = queue.rules.waitersAreKnown() ? Math.max(linger, LeaseRules.SLICE_WITHOUT_WAITERS) : linger;
        long start = sliceEnd - queue.rules.slice(othersMayWait());
        return Math.min(Math.min(now + linger, start + longest), deadline - extending(ended));
    }

    private boolean mayBeKept(LockHold ended) {
        return ended.released() && !ended.releasedInDoubt() && !ended.askedFor()
                && ended.settings.renew() && ended.settings.limit() == 0 && ended.holdAtLeastNanos() == 0
                && queue.rules.handedOn && !wantedElsewhere() && !shortened && !grant.provisional()
                && handOvers + 1 < Grant.TOKENS_PER_FENCE
                && leaseNanos() <= ended.settings.leaseNanos();
    }

    final boolean wantedElsewhere() {
        return othersWait;
    }

    /** Whether who comes next needs no grant of its own, while nobody holds this one. */
    boolean mayBeTakenBy(LockHold next, long now) {
        return handOvers + 1 < Grant.TOKENS_PER_FENCE
                && next.settings.exclusive()
                && next.settings.leaseNanos() == holder.settings.leaseNanos()
                && next.settings.renew() && next.settings.holdAtLeastNanos() == 0
                && lastsWhileExtended(next, now) && !clocksParted();
    }

    final boolean lastsWhileExtended(LockHold next, long now) {
        return deadline - now >= extending(next);
    }

    /** More than the answer to a renewal takes. */
    private long extending(LockHold hold) {
        return queue.rules.safetyMargin(hold.settings.leaseNanos()) / 2;
    }

    /** It has a holder again. */
    void takenBy(LockHold next, long now) {
        passTo(next, now);
        next.grant(this, now);
    }

    public void passTo(LockHold next, long now) {
        handOvers++;
        holder = next;
        onlyChecked = false;
        if (renewalDue == Long.MAX_VALUE) {
            renewalDue = now; // it was not to be renewed for the holder before
        }
    }

    @Override
    public String toString() {
        return "Lease[" + grant + "+" + handOvers + "]";
    }
}
