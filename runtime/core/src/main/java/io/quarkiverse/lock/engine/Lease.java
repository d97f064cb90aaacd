package io.quarkiverse.lock.engine;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;

/**
 * A grant that this JVM has, with how long it is good for. Its holder changes when it is handed on inside the JVM (the baton):
 * then the next hold gets the next fencing token of the grant's block.
 */
final class Lease {

    static final int TOKENS_PER_FENCE = 1024;
    private static final long NANOS_PER_MILLI = 1_000_000;

    final NameQueue queue;
    final Grant grant;
    private final long grantedAt;
    private final Margin margin;

    private volatile Hold holder;
    private int handOvers;

    private volatile long deadline;
    private volatile long renewalDue;
    /** Wall clock minus monotonic clock when last confirmed: they part when the machine is suspended. */
    private volatile long clockGap;
    private volatile long othersWaitSince = Long.MAX_VALUE;

    Lease(NameQueue queue, Grant grant, Hold holder, Margin margin, LockTime time) {
        this.queue = queue;
        this.grant = grant;
        this.holder = holder;
        this.margin = margin;
        this.grantedAt = time.nanoTime();
        this.deadline = grant.sentAt() + grant.grantedNanos() - margin.of(grant.grantedNanos());
        this.clockGap = clockGap(time);
        this.renewalDue = firstRenewal(holder, grant.sentAt());
    }

    private long firstRenewal(Hold holder, long from) {
        return holder.settings.renew() ? from + grant.leaseNanos() / 3 : Long.MAX_VALUE;
    }

    Hold holder() {
        return holder;
    }

    long token() {
        return grant.fence() * TOKENS_PER_FENCE + handOvers;
    }

    /** When the lease ends for us: earlier than for the backend. */
    long deadline() {
        return deadline;
    }

    /** When to renew next; {@link Long#MAX_VALUE} for never. */
    long renewalDue() {
        return renewalDue;
    }

    void renewalDue(long at) {
        renewalDue = at;
    }

    /** Whether the machine seems to have been suspended since the last confirmation, so that the deadline cannot be trusted. */
    boolean clocksParted(LockTime time) {
        return Math.abs(clockGap(time) - clockGap) * NANOS_PER_MILLI > margin.of(grant.leaseNanos());
    }

    private static long clockGap(LockTime time) {
        return time.wallMillis() - time.nanoTime() / NANOS_PER_MILLI;
    }

    /** The backend keeps the grant for its lease from {@code sentAt} on. */
    void confirmed(long sentAt, LockTime time) {
        long until = sentAt + grant.leaseNanos() - margin.of(grant.leaseNanos());
        if (until - deadline > 0) {
            deadline = until;
        }
        clockGap = clockGap(time);
        renewalDue = mayRenewAt(sentAt) ? sentAt + grant.leaseNanos() / 3 : Long.MAX_VALUE;
    }

    private boolean mayRenewAt(long now) {
        Hold current = holder;
        return current.settings.renew() && now - current.grantedAt() < current.settings.maxHoldNanos();
    }

    void othersWait(boolean some, long now) {
        if (!some) {
            othersWaitSince = Long.MAX_VALUE;
        } else if (othersWaitSince == Long.MAX_VALUE) {
            othersWaitSince = now;
        }
    }

    /** Whether the grant may be handed on to the next local waiter instead of going back to the backend. */
    boolean mayPassTo(Hold next, long now, Slice slice) {
        return handOvers < TOKENS_PER_FENCE - 1
                && next.settings.leaseNanos() == holder.settings.leaseNanos()
                && grant.leaseNanos() <= next.settings.leaseNanos() // a backend may give less, an extension more
                && next.settings.renew() && holder.settings.renew()
                && deadline - now >= grant.leaseNanos() / 3
                && slice.allows(now - grantedAt, othersWaitSince == Long.MAX_VALUE ? -1 : now - othersWaitSince);
    }

    void passTo(Hold next, long now) {
        handOvers++;
        holder = next;
        if (renewalDue == Long.MAX_VALUE) {
            renewalDue = now; // it was not to be renewed for the holder before
        }
    }

    @Override
    public String toString() {
        return "Lease[" + grant + "+" + handOvers + "]";
    }
}
