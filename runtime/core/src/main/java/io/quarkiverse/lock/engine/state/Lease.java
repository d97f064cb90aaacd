package io.quarkiverse.lock.engine.state;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Grant;

/**
 * A grant of this JVM, with its validity. Its holder changes when it is handed on inside the JVM (the baton): the next hold
 * then gets the next fencing token of the grant's block.
 */
public class Lease {

    private static final AtomicLongFieldUpdater<Lease> DUE = AtomicLongFieldUpdater.newUpdater(Lease.class, "renewalDue");
    private static final long THREAD_SWITCH = 50_000;
    /** Decades away from any real gap. */
    private static final long NO_GAP = -1_000_000_000_000L;
    private static final int GOING_BACK = -1;

    public final NameQueue queue;
    public final Grant grant;

    private volatile LockHold holder;
    /** {@link #GOING_BACK} at the end: another field would make each lease larger, and there is a lease for each call. */
    private int handOvers;

    private volatile long deadline;
    private volatile long renewalDue;
    /** Wall clock minus monotonic clock at the last confirmation: they diverge when the machine is suspended. */
    private volatile long clockGap;
    private volatile boolean seenParted;
    private volatile boolean othersWait;
    private volatile boolean shortened;
    /** From this time on, it is no longer handed on inside this JVM. */
    private volatile long sliceEnd;

    /** @param clockGap the gap between the clocks before the grant was asked for: it does not cover a later suspension */
    public Lease(NameQueue queue, Grant grant, LockHold holder, long clockGap, long now) {
        this.queue = queue;
        this.grant = grant;
        this.holder = holder;
        this.sliceEnd = now + queue.rules.slice(othersMayWait());
        this.deadline = holder.deadline(grant.sentAt(), queue.rules.granted(grant), now);
        this.clockGap = clockGap;
        this.renewalDue = nextRenewal(grant.sentAt(), leaseNanos(), holder, holder.settings, now);
    }

    /** Replaces another lease on the same grant. Renewals of the other may be under way: keep track of it. */
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
        this.sliceEnd = other.sliceEnd;
    }

    /** When a lease confirmed at that time is renewed; {@link Long#MAX_VALUE} if its holder wants no renewal by then. */
    private static long nextRenewal(long from, long leaseNanos, LockHold holder, HoldSettings settings, long grantedAt) {
        long due = from + LeaseRules.renewalInterval(holder.paceNanos(leaseNanos));
        return settings.renewedAt(due, grantedAt) ? due : Long.MAX_VALUE;
    }

    /** How long each renewal keeps it for us. */
    public final long leaseNanos() {
        return ours(grant.leaseNanos());
    }

    /** The lease that decides how often it is renewed. */
    public final long paceNanos() {
        return holder.paceNanos(leaseNanos());
    }

    final long ours(long kept) {
        return kept - queue.rules.afterLossNanos;
    }

    /** The holder, or one of several. */
    public final LockHold holder() {
        return holder;
    }

    public final void holder(LockHold next) {
        holder = next;
    }

    /** The current holders; takes the queue's guard if that is necessary. */
    public List<LockHold> holders() {
        return presentHolders();
    }

    /** The caller must hold the queue's guard. Empty while the lease is only kept. */
    public List<LockHold> presentHolders() {
        return queue.keeps(this) ? List.of() : List.of(holder);
    }

    public void markConfirmed() {
        holder.markConfirmed();
    }

    /** The next lease of the same name in this JVM; {@code null} if there is none. */
    @Nullable
    public Lease next() {
        return null;
    }

    /** Whether nobody else holds the name. */
    boolean alone() {
        return true;
    }

    /** 0 if it is only the turn in this JVM: the lock and its token come later. */
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

    /** Also if it is no longer renewed: its holder then only needs to know whether it is still there. */
    public void renewalDue(long at) {
        renewalDue = at;
    }

    /** No renewal is due any more, unless another one has been planned since that one. */
    void notDue(long planned) {
        DUE.compareAndSet(this, planned, Long.MAX_VALUE);
    }

    /** Whether the machine seems to have been suspended since the last confirmation, so that the deadline cannot be trusted. */
    public boolean clocksParted() {
        // A lease about to be extended keeps the margin of what was confirmed
        return queue.rules.clocksParted(clockGap, Math.min(keptNanos(), queue.rules.granted(grant)));
    }

    /** Whether this is the first notice that the clocks have diverged since the last confirmation. */
    public boolean firstSeenParted() {
        boolean first = !seenParted;
        seenParted = true;
        return first;
    }

    /** Acts as if the machine had been suspended, until the next confirmation. */
    public void distrustClocks() {
        clockGap = NO_GAP;
    }

    /**
     * The backend keeps the grant that long from the time the renewal was sent; any other doubt about it remains.
     *
     * @param wanted whether that length was requested explicitly; else a lease that is no longer renewed ends as it would have
     */
    public void keptFor(long nanos, Sent sent, boolean wanted) {
        LockHold current = holder;
        long until = current.deadline(sent.nanos(), ours(nanos), current.grantedAt());
        if (until - deadline > 0
                && (wanted || grant.provisional() || current.settings.renewedAt(sent.nanos(), current.grantedAt()))) {
            deadline = until;
        }
        grant.confirmed(sent.nanos());
        noLongerThanKept(); // the limit may have changed since the answer
    }

    /**
     * The backend is asked to keep it for less time, and may or may not have received that request. The lease is no longer
     * passed on: the next holder has asked for more.
     */
    public void shortened(Sent sent) {
        shortened = true;
        long lease = leaseNanos();
        deadline = Math.min(deadline, queue.rules.deadline(sent.nanos(), lease));
        if (renewalDue != Long.MAX_VALUE) {
            renewalDue = Math.min(renewalDue, sent.nanos() + LeaseRules.renewalInterval(holder.paceNanos(lease)));
        }
    }

    /**
     * Nobody holds it. The backend needs to keep it only for that time plus the safety margin of its whole lease. If the margin
     * of the shortened lease is more than half of that, another half is added.
     *
     * @return {@code false} if the backend keeps it no longer anyway
     */
    boolean shortenedTo(long left, Sent sent) {
        long margin = queue.rules.safetyMargin(leaseNanos());
        long lease = left + margin;
        if (queue.rules.safetyMargin(lease) > margin / 2) {
            lease += margin / 2; // or a late caller would find too little time to extend it
        }
        long confirmed = queue.rules.granted(grant);
        boolean extended = leaseNanos() > confirmed; // that renewal is unanswered, but may have arrived
        if (!extended && sent.nanos() + lease - (grant.sentAt() + confirmed) >= 0) {
            return false;
        }
        grant.leaseNanos(lease + queue.rules.afterLossNanos);
        deadline = Math.min(deadline, queue.rules.deadline(sent.nanos(), lease));
        return true;
    }

    /**
     * Under the queue's guard: whether the backend has answered every request to keep it for less. If it was shortened without
     * a holder, its next holder got it only after the answer. If its holder shortened it, that is unknown.
     */
    public boolean mayBeKeptWhole() {
        return !shortened && !queue.keeps(this);
    }

    /**
     * The backend may now keep it for less than it did at the last confirmation, or its holder may have a limit: then the lower
     * value applies to that confirmation too.
     */
    public void noLongerThanKept() {
        long until = holder.deadline(grant.sentAt(), leaseNanos(), holder.grantedAt());
        if (until - deadline < 0 && !grant.promisedAt(deadline + queue.rules.afterLossNanos)) {
            deadline = until;
        }
    }

    /** It need not be confirmed again before the next renewal is due. */
    public void confirmedBy(Sent sent, long kept) {
        clockGap = sent.clockGap();
        seenParted = false;
        renewalDueAfter(sent, kept, Long.MAX_VALUE);
    }

    /** @param latest the time of a confirmation that is still missing, because of a doubt that arose since it was sent */
    public void renewalDueAfter(Sent sent, long kept, long latest) {
        LockHold current;
        HoldSettings settings;
        do { // again if it was passed to a hold that may be renewed for longer, or its holder's limits have just begun
            current = holder;
            settings = current.settings;
            VarHandle.acquireFence(); // its grant is read only now: limits that begin count from then
            renewalDue = Math.min(latest, nextRenewal(sent.nanos(), ours(kept), current, settings, current.grantedAt()));
        } while (holder != current || current.settings != settings);
    }

    /** Whether somebody elsewhere waits for it, or might wait unknown to this JVM. */
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
                && !holder.askedFor() // perhaps by somebody elsewhere
                && queue.rules.handedOn
                && handOvers + 1 < queue.rules.handOvers(othersMayWait())
                && next.settings.exclusive()
                && next.settings.leaseNanos() == holder.settings.leaseNanos()
                && leaseNanos() <= next.settings.leaseNanos() // a backend may grant less, an extension more
                && next.settings.renew() && holder.settings.renew()
                // a hold whose name must stay taken has nothing to hand on, and needs a whole lease of its own
                && !holder.outlastsItsLease() && next.settings.holdAtLeastNanos() == 0
                && deadline - now >= enoughToPass();
    }

    /** A lease that is being confirmed can be handed on meanwhile: most are given back before the answer arrives. */
    final long enoughToPass() {
        return keptNanos() / 3;
    }

    /** Whether it is kept for less time than was asked for. */
    final boolean isShortened() {
        return shortened;
    }

    /** How long the backend keeps it from its last confirmation, or from the next one if that asks for more. */
    public long keptNanos() {
        return grant.provisional() ? queue.rules.granted(grant) : leaseNanos();
    }

    /**
     * Whether the hold was shorter than a thread switch, and followed another one in this JVM. The previous thread may then
     * want the lock again, and has had no chance to join the line.
     */
    public boolean formerMayComeBack(long now) {
        return handOvers > 0 && !holder.settings.lingers() && now - holder.grantedAt() < THREAD_SWITCH;
    }

    /** As far as this JVM knows, nobody waits elsewhere, and this is recent enough that it need not ask again. */
    public final boolean undisturbed(long now) {
        return !othersWait && now < sliceEnd;
    }

    /**
     * Under the queue's guard: its holder has finished, and it is about to go back to the backend at once. If it is found gone
     * then, this means nothing: the release learns whether it was gone before. A transaction's lease ends with the transaction.
     */
    public void goesBack() {
        if (queue.rules.handedOn) {
            handOvers = GOING_BACK;
        }
    }

    /** Whether it is going back, so that its disappearance alone is no loss. Under the queue's guard. */
    public boolean goingBack() {
        return handOvers == GOING_BACK;
    }

    // --- when nobody holds it

    /**
     * Until when this JVM may keep it after its last hold; not after {@code now} if it may not. Where waiters are known, news
     * of one ends this. Such news can get lost, and some backends have none, so there is a limit, however often the lease is
     * taken again.
     */
    public long keptUntil(LockHold ended, long now) {
        if (!mayBeKept(ended) || !queue.mayKeep(this) || clocksParted()) {
            return now;
        }
        long linger = ended.settings.lingerNanos();
        long longest = queue.rules.waitersAreKnown() ? Math.max(linger, LeaseRules.SLICE_WITHOUT_WAITERS) : linger;
        long start = sliceEnd - queue.rules.slice(othersMayWait());
        if (start - now > 0) {
            start = sliceEnd - LeaseRules.SLICE_WITHOUT_WAITERS; // waiters were known then, and no longer are
        }
        return Math.min(Math.min(now + linger, start + longest), deadline - extending(ended));
    }

    private boolean mayBeKept(LockHold ended) {
        return ended.released() && !ended.releasedInDoubt() && !ended.askedFor()
                && ended.settings.renew() && ended.settings.limit() == 0
                && !ended.outlastsItsLease() && queue.rules.handedOn && !wantedElsewhere()
                && !shortened && !grant.provisional() && handOvers + 1 < Grant.TOKENS_PER_FENCE
                && leaseNanos() <= ended.settings.leaseNanos();
    }

    final boolean wantedElsewhere() {
        return othersWait;
    }

    /** It has replaced another lease, which may have heard of waiters after it was copied. */
    final void wantedLike(Lease former) {
        if (former.othersWait) {
            othersWait = true;
        }
    }

    /** Whether the next caller can take this grant, which nobody holds, instead of asking for its own. */
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

    /** A time longer than a renewal's answer takes. */
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
        next.grantedAt(now); // before a renewal that is answered meanwhile finds it to be the holder
        holder = next;
        if (renewalDue == Long.MAX_VALUE) {
            renewalDue = now; // it was not renewed for the previous holder
        }
    }

    @Override
    public String toString() {
        return "Lease[" + grant + "+" + handOvers + "]";
    }
}
