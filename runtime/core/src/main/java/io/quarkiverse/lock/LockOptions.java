package io.quarkiverse.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a lock is taken and kept. Values that are {@code null} come from the manager's configuration. Immutable.
 *
 * <pre>{@code
 * locks.lock("report", LockOptions.DEFAULTS.withWaitFor(Duration.ZERO).withLease(Duration.ofMinutes(1)));
 * }</pre>
 *
 * @param waitFor how long to wait for the lock; zero asks once
 * @param lease how long the backend keeps the lock for a holder that no longer renews it, 1 second to 24 hours; see
 *        {@link #withLease} for backends that do not keep it for that long
 * @param renew whether the lease is renewed until the release
 * @param maxHold the maximum time for which the lease is renewed, counted from the grant; it does nothing for a lock that
 *        is not renewed
 * @param holdAtLeast how long from the grant the name stays taken even if it is released sooner, at most 24 hours; not on every
 *        backend, and only for an exclusive holder
 * @param mode whether holders may share the name
 * @param limit how many holders the name may have at once in the whole cluster; 0 for no such limit, see {@link #withLimit}
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
            throw new IllegalArgumentException("Only an exclusive holder can keep a name after its release: use holdAtLeast or "
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
     * Returns {@code holdAtLeast} if a backend can keep a name that long.
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

    /**
     * How long the backend keeps the lock for a holder that no longer renews it. On ZooKeeper it is no longer than the session
     * allows: a shorter lease ends at its own time, and a longer one is renewed within that time. With {@code renew=false}
     * nobody would renew a longer one, so {@link LockManager#lock(String, LockOptions)} refuses it.
     *
     * <pre>{@code
     * locks.lock("report", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(15)).withRenew(false));
     * }</pre>
     *
     * @param lease between 1 second and 24 hours
     * @throws IllegalArgumentException if it is shorter or longer
     */
    public LockOptions withLease(Duration lease) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    public LockOptions withRenew(boolean renew) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    /**
     * The maximum time for which the lease is renewed, counted from the grant; the lock is lost when the lease ends after that.
     * It does nothing with {@code renew=false}, where the lock ends with its lease.
     *
     * <pre>{@code
     * locks.lock("report", LockOptions.DEFAULTS.withMaxHold(Duration.ofMinutes(10)));
     * }</pre>
     *
     * @param maxHold positive
     * @throws IllegalArgumentException if it is not
     */
    public LockOptions withMaxHold(Duration maxHold) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    /** @throws IllegalArgumentException if it is negative or longer than 24 hours, the mode is SHARED, or there is a limit */
    public LockOptions withHoldAtLeast(Duration holdAtLeast) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    /**
     * {@link LockMode#SHARED}: held together with all others that share it. Exclusive waiters are let in before callers that
     * come later.
     *
     * @throws IllegalArgumentException if there is a limit, or {@code holdAtLeast}, which needs an exclusive holder
     */
    public LockOptions withMode(LockMode mode) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }

    /**
     * At most this many holders at once in the whole cluster, each with its own lease, loss and fencing token. The token
     * distinguishes them; it does not order them. If callers have different limits for one name, as during a rolling
     * deployment, the smallest limit among its holders decides who is let in.
     *
     * @param limit 0 for no such limit
     * @throws IllegalArgumentException if it is negative, the mode is {@link LockMode#SHARED}, or there is {@code holdAtLeast}
     */
    public LockOptions withLimit(int limit) {
        return new LockOptions(waitFor, lease, renew, maxHold, holdAtLeast, mode, limit);
    }
}
