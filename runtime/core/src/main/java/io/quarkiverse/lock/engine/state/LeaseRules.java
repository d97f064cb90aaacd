package io.quarkiverse.lock.engine.state;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;

/**
 * What all leases of one engine have in common: how long a grant is ours, how often it is renewed, when the clocks cannot be
 * trusted, and how long it may be handed on inside this JVM.
 */
public final class LeaseRules {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LONGEST_PAUSE = Duration.ofSeconds(2).toNanos();
    /** The rates of two clocks differ by a thousandth at most: each may be slewed by up to 500 ppm, in opposite directions. */
    private static final long CLOCK_RATES = 1000;
    private static final Duration STANDARD_SLICE = Duration.ofMillis(5);
    static final long SLICE_WITHOUT_WAITERS = Duration.ofSeconds(1).toNanos();
    /** Per slice, for holds that do nearly nothing; longer ones do not reach this number in the time. */
    private static final int HAND_OVERS = 320;
    private static final int CLOCK_READINGS = 4;
    private static final long NO_MARGIN_CONFIGURED = -1;

    final Fencing fencing;
    /** How much longer than its holder's lease the backend keeps a grant that is not released. */
    public final long afterLossNanos;
    /** Whether a grant may go to the next waiter of this JVM; not if it belongs to a transaction. */
    final boolean handedOn;
    private final LockBackend backend;
    private final LockTime time;
    private final long configuredMargin;
    private final long slice;

    /**
     * @param margin how much earlier than the backend a holder considers its lease ended; {@code null} for the default
     * @param slice how long a grant is handed on while another JVM may wait; {@code null} for the default
     */
    public LeaseRules(LockBackend backend, LockTime time, @Nullable Duration margin, @Nullable Duration slice, Fencing fencing,
            long afterLossNanos, boolean handedOn) {
        this.backend = backend;
        this.time = time;
        this.configuredMargin = margin == null ? NO_MARGIN_CONFIGURED : HoldSettings.saturated(margin);
        this.slice = HoldSettings.saturated(slice == null ? STANDARD_SLICE : slice);
        this.fencing = fencing;
        this.afterLossNanos = afterLossNanos;
        this.handedOn = handedOn;
    }

    // --- how long it is ours

    /** How long it is granted to us. The backend keeps it longer if names stay taken after a loss. */
    long granted(Grant grant) {
        long kept = grant.grantedNanos();
        return grant.provisional() ? Math.min(kept, grant.leaseNanos() - afterLossNanos) : kept - afterLossNanos;
    }

    /** A grant whose answer took long to arrive may be nearly over. */
    boolean worthHaving(Grant grant, long now) {
        long granted = granted(grant);
        return grant.sentAt() + granted - now >= granted / 4;
    }

    /** Whether a holder still has a quarter of what it has of such a grant in the beginning. */
    public boolean enoughToBegin(Grant grant, long now) {
        long granted = granted(grant);
        return deadline(grant.sentAt(), granted) - now >= (granted - safetyMargin(granted)) / 4;
    }

    /** Whether that is nearly as much as a holder has of such a lease in the beginning. */
    public boolean asInTheBeginning(long leaseNanos, long left) {
        long margin = safetyMargin(leaseNanos);
        return left >= leaseNanos - margin - Math.min(margin, leaseNanos / 10); // a margin may be half of it
    }

    /**
     * How much earlier than the backend a holder considers its lease ended, so that it knows before anybody else can be granted
     * the lock, even if its clock is the slower one.
     */
    long safetyMargin(long leaseNanos) {
        return Math.max(unnoticedPause(leaseNanos), leaseNanos / CLOCK_RATES);
    }

    /** How long the machine may be suspended unnoticed: a tenth of the lease, at most two seconds, unless configured. */
    private long unnoticedPause(long leaseNanos) {
        return configuredMargin == NO_MARGIN_CONFIGURED ? Math.min(leaseNanos / 10, LONGEST_PAUSE)
                : Math.min(configuredMargin, leaseNanos / 2);
    }

    /** When a lease requested at that time ends for us. */
    long deadline(long sentAt, long leaseNanos) {
        return sentAt + leaseNanos - safetyMargin(leaseNanos);
    }

    /**
     * The same for a hold. Once it is renewed no longer, it ends after the lease that decides how often it is renewed, even if
     * its name stays taken for longer. A hold that is never renewed has a single lease for both.
     */
    long deadline(long sentAt, long leaseNanos, HoldSettings settings, long paceNanos, long grantedAt) {
        long deadline = deadline(sentAt, leaseNanos);
        long longest = settings.maxHoldNanos();
        return settings.keptAlive() || !settings.renew() ? deadline
                : Math.min(deadline, deadline(Math.max(sentAt, grantedAt + longest), paceNanos));
    }

    /** How often a lease is renewed: three times while it lasts, so that two renewals may fail before it is over. */
    static long renewalInterval(long leaseNanos) {
        return leaseNanos / 3;
    }

    // --- suspensions of the machine

    /**
     * How far the wall clock is ahead of the monotonic one, in milliseconds. Both are read again if the thread seems to have
     * lost its core in between, which would make the clocks seem to diverge.
     */
    public static long clockGap(LockTime time) {
        long wall;
        long before;
        long after = time.nanoTime();
        int tries = 0;
        do {
            before = after;
            wall = time.wallMillis();
            after = time.nanoTime();
        } while (after - before > NANOS_PER_MILLI && ++tries < CLOCK_READINGS);
        return wall - after / NANOS_PER_MILLI;
    }

    /**
     * Whether the machine seems to have been suspended since the clocks were that far apart; for a grant that is no lease yet.
     */
    public boolean clocksParted(Grant grant, long clockGap) {
        return clocksParted(clockGap, granted(grant));
    }

    public boolean clocksParted(long clockGap, long keptNanos) {
        return Math.abs(clockGap(time) - clockGap) * NANOS_PER_MILLI > unnoticedPause(keptNanos);
    }

    // --- how long one grant may be handed on

    /** Whether the backend reports waiters; otherwise there may always be some. */
    boolean waitersAreKnown() {
        return backend.tellsOfWaiters();
    }

    /**
     * For how many nanoseconds one grant may be handed on. Once another JVM may wait, this is a moment. As long as the backend
     * would have reported a waiter, it is longer, but not unlimited, since such a report can get lost.
     */
    long slice(boolean othersMayWait) {
        return othersMayWait ? slice : SLICE_WITHOUT_WAITERS;
    }

    /** The maximum number of hand-overs, so that JVMs with quick threads get no more of the lock while others may wait. */
    int handOvers(boolean othersMayWait) {
        return othersMayWait ? HAND_OVERS : Grant.TOKENS_PER_FENCE;
    }
}
