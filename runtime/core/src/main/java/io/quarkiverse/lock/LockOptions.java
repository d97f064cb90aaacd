package io.quarkiverse.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a lock is taken and kept. What is {@code null} comes from the manager's configuration. Immutable.
 *
 * <pre>{@code
 * locks.lock("report", LockOptions.DEFAULTS.withWaitFor(Duration.ZERO).withLease(Duration.ofMinutes(1)));
 * }</pre>
 *
 * @param waitFor how long to wait for the lock; zero asks once
 * @param lease how long the backend keeps the lock for a holder that no longer renews it, 1 second to 24 hours
 * @param renew whether the lease is renewed until the release
 * @param maxHold for how long the lease is renewed at most
 * @param holdAtLeast for how long from the grant the name stays taken even when it is released sooner, at most 24 hours; not on
 *        every backend, and only for a holder that has the name alone
 * @param mode who may hold the name together
 * @param limit how many may hold the name together in the whole cluster; 0 for no such limit, see {@link #withLimit}
 */
public record LockOptions(@Nullable Duration waitFor, @Nullable Duration lease, @Nullable Boolean renew,
        @Nullable Duration maxHold, @Nullable Duration holdAtLeast, LockMode mode, int limit) {

    /** Everything as configured. */
    public static final LockOptions DEFAULTS = new LockOptions(null, null, null, null, null, LockMode.EXCLUSIVE, 0);

    static final Duration MIN_LEASE = Duration.ofSeconds(1);
    static final Duration MAX_LEASE = Duration.ofHours(24);

    public LockOptions {
        if (waitFor != null && waitFor.isNegative()) {
            throw new IllegalArgumentException("waitFor must not be negative, but is " + waitFor);
        }
        if (lease != null) {
            checkLease(lease);
        }
        if (maxHold != null && (maxHold.isNegative() || maxHold.isZero())) {
            throw new IllegalArgumentException("maxHold must be positive, but is " + maxHold);
        }
        if (holdAtLeast != null) {
            checkHoldAtLeast(holdAtLeast);
        }
        if (limit < 0) {
            throw new IllegalArgumentException("limit must not be negative, but is " + limit);
        }
        if (limit > 0 && mode == LockMode.SHARED) {
            throw new IllegalArgumentException("SHARED holders are not counted: use a limit or SHARED, not both");
        }
        if ((limit > 0 || mode == LockMode.SHARED) && holdAtLeast != null && !holdAtLeast.isZero()) {
            throw new IllegalArgumentException("Only who holds a name alone can keep it for some time: use holdAtLeast or "
                    + (limit > 0 ? "a limit" : "SHARED") + ", not both");
        }
    }

    /**
     * Returns {@code lease} if a backend can keep it.
     *
     * @throws IllegalArgumentException if it is shorter than 1 second or longer than 24 hours
     */
    public static Duration checkLease(Duration lease) {
        if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("lease must be between 1 second and 24 hours, but is " + lease);
        }
        return lease;
    }

    /**
     * Returns {@code holdAtLeast} if a backend can keep a name for so long.
     *
     * @throws IllegalArgumentException if it is negative or longer than 24 hours
     */
    public static Duration checkHoldAtLeast(Duration holdAtLeast) {
        if (holdAtLeast.isNegative() || holdAtLeast.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("holdAtLeast must be between 0 and 24 hours, but is " + holdAtLeast);
        }
        return holdAtLeast;
    }

    public LockOptions withWaitFor(Duration waitFor) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    public LockOptions withLease(Duration lease) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    public LockOptions withRenew(boolean renew) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    public LockOptions withMaxHold(Duration maxHold) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    /** @throws IllegalArgumentException if it is negative or longer than 24 hours, the mode is SHARED, or there is a limit */
    public LockOptions withHoldAtLeast(Duration holdAtLeast) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    /**
     * {@link LockMode#SHARED}: together with all others that are. Those who wait for it exclusively are let in before those who
     * come later.
     *
     * @throws IllegalArgumentException if there is a limit, or {@code holdAtLeast}, which is for a holder that has the name
     *         alone
     */
    public LockOptions withMode(LockMode mode) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    /**
     * At most that many holders at once in the whole cluster, each with a lease, a loss and a fencing token of its own. The
     * token tells them apart; it does not order them. Callers with different limits for one name, as during a rolling
     * deployment, are let in by the smallest limit of all those who hold it.
     *
     * @param limit 0 for no such limit
     * @throws IllegalArgumentException if it is negative, the mode is {@link LockMode#SHARED}, or there is {@code holdAtLeast}
     */
    public LockOptions withLimit(int limit) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }
}
