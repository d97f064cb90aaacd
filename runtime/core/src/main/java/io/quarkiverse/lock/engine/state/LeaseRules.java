package io.quarkiverse.lock.engine.state;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;

/** What all leases of one engine have in common: how much of a grant is ours, and for how long it may be handed on. */
public final class LeaseRules {

    private static final long NANOS_PER_MILLI = 1_000_000;

    final LockTime time;
    final SafetyMargin margin;
    final Slice slice;
    final Fencing fencing;
    /** For how much longer than for its holder the backend keeps what is not given back. */
    public final long afterLossNanos;
    /** Whether a grant may go to the next waiter of this JVM; not if it belongs to a transaction. */
    final boolean handedOn;
    private final LockBackend backend;

    public LeaseRules(LockBackend backend, LockTime time, SafetyMargin margin, Slice slice, Fencing fencing,
            long afterLossNanos,
            boolean handedOn) {
        this.backend = backend;
        this.time = time;
        this.margin = margin;
        this.slice = slice;
        this.fencing = fencing;
        this.afterLossNanos = afterLossNanos;
        this.handedOn = handedOn;
    }

    /** Whether the backend says that others wait; otherwise they always may. */
    boolean waitersAreKnown() {
        return backend.tellsOfWaiters();
    }

    /** For how long it is granted to us; the backend keeps it for longer, in case it gets lost. */
    long granted(Grant grant) {
        long kept = grant.grantedNanos();
        return grant.provisional() ? Math.min(kept, grant.leaseNanos() - afterLossNanos) : kept - afterLossNanos;
    }

    /** Whether the machine seems to have been suspended since the clocks were that far apart, of a grant without a lease. */
    public boolean clocksParted(Grant grant, long clockGap) {
        return clocksParted(clockGap, granted(grant));
    }

    public boolean clocksParted(long clockGap, long keptNanos) {
        return Math.abs(Sent.clockGap(time) - clockGap) * NANOS_PER_MILLI > margin.of(keptNanos);
    }

    /** A grant whose answer was long on the way may be as good as over. */
    boolean worthHaving(Grant grant, long now) {
        long granted = granted(grant);
        return grant.sentAt() + granted - now >= granted / 4;
    }
}
