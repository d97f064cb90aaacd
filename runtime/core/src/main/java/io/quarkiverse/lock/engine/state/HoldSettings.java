package io.quarkiverse.lock.engine.state;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.text.PrintableName;

/**
 * How a lock is taken and kept, with all defaults resolved. One object serves all calls of a {@code @Locked} method.
 *
 * @param manager the name of the manager used to take it, for events
 * @param template the {@code @Locked} template for events, or {@code null}
 * @param maxHoldNanos how long from the grant it is renewed; {@link Long#MAX_VALUE} for no limit
 * @param onLost any but {@link OnLost#DEFAULT}
 * @param holdAtLeastNanos how long from the grant the name stays taken, even if it is released sooner; 0 for no such time. Only
 *        for an exclusive holder
 * @param limit how many may hold it together; 0 for no such limit
 * @param lingerNanos how long this JVM keeps the grant after its last holder, for its own next caller; 0 for not at all
 */
public record HoldSettings(String manager, @Nullable String template, long waitNanos, long leaseNanos, boolean renew,
        long maxHoldNanos,
        OnLost onLost, long holdAtLeastNanos, LockMode mode, int limit, long lingerNanos) {

    /** A limit that begins later, unlike that of a hold which never has any. */
    private static final long NO_LIMIT_YET = Long.MAX_VALUE - 1;

    /** For a lock that is given back at once. */
    public HoldSettings(String manager, @Nullable String template, long waitNanos, long leaseNanos, boolean renew,
            long maxHoldNanos, OnLost onLost, long holdAtLeastNanos, LockMode mode, int limit) {
        this(manager, template, waitNanos, leaseNanos, renew, maxHoldNanos, onLost, holdAtLeastNanos, mode, limit, 0);
    }

    public HoldSettings withWait(Duration wait) {
        return new HoldSettings(manager, template, saturated(wait), leaseNanos, renew, maxHoldNanos, onLost, holdAtLeastNanos,
                mode, limit, lingerNanos);
    }

    /** {@link #withWait}, with the duration a caller gave. */
    public HoldSettings waiting(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait must not be negative, but is " + wait);
        }
        return withWait(wait);
    }

    /** The same for readers, or for an exclusive holder. */
    public HoldSettings withMode(LockMode mode) {
        return new HoldSettings(manager, template, waitNanos, leaseNanos, renew, maxHoldNanos, onLost, holdAtLeastNanos, mode,
                limit, lingerNanos);
    }

    /**
     * The lease that a grant begins with. It outlives the holder, so a name that stays taken for some time needs one at least
     * that long.
     */
    public long firstLeaseNanos() {
        return Math.max(leaseNanos, holdAtLeastNanos);
    }

    /** Held alone: neither shared nor limited to a number of holders. */
    public boolean exclusive() {
        return mode == LockMode.EXCLUSIVE && limit == 0;
    }

    /** The name of the mode in traces, recordings and pages. */
    public String modeText() {
        return modeText(mode, limit);
    }

    /** The same for a holder known to the store. */
    public static String modeText(LockMode mode, int limit) {
        return mode == LockMode.SHARED ? "shared" : limit > 0 ? "limited" : "exclusive";
    }

    /** Whether the modes of both allow them to hold one name together. */
    public boolean goesWith(HoldSettings other) {
        return !exclusive() && mode == other.mode && limit > 0 == other.limit > 0;
    }

    /** Whether a hold like this one includes all that the other needs. */
    boolean covers(HoldSettings nested) {
        return exclusive() || goesWith(nested);
    }

    /** @throws IllegalStateException if a caller with a hold like this would wait for itself when taking the other */
    public void checkCovers(HoldSettings nested, String name) {
        if (!covers(nested)) {
            throw new IllegalStateException("Lock '" + PrintableName.of(name) + "' is already held " + kind()
                    + " here, and is requested " + nested.kind() + ": the caller would wait for itself. Take it "
                    + nested.kind() + " outside, or leave the outer lock first");
        }
    }

    private String kind() {
        return limit > 0 ? "with a limit of " + limit : mode.name();
    }

    /** Whether this JVM may keep the grant for a while after its last holder. */
    public boolean lingers() {
        return lingerNanos != 0;
    }

    /**
     * For one of several names, until its caller has all of them. It is kept alive while the others are waited for: how long it
     * is held, and its name stays taken, counts from the grant of the last one.
     */
    public HoldSettings whileIncomplete() {
        return sharesGrants() && holdAtLeastNanos == 0 ? this
                : new HoldSettings(manager, template, waitNanos, leaseNanos, true, NO_LIMIT_YET, onLost, holdAtLeastNanos, mode,
                        limit, lingerNanos);
    }

    /** Whether other names are waited for before its own limits count. */
    public boolean incomplete() {
        return maxHoldNanos == NO_LIMIT_YET;
    }

    /** Whether a hold that began at {@code grantedAt} may still be renewed at that time. */
    boolean renewedAt(long time, long grantedAt) {
        return renew && time - grantedAt < maxHoldNanos;
    }

    /** Kept until it is released, so that it can share a grant with others. */
    public boolean sharesGrants() {
        return renew && maxHoldNanos == Long.MAX_VALUE;
    }

    /** Kept until it is released, or at least until other names have been waited for. */
    public boolean keptAlive() {
        return sharesGrants() || incomplete();
    }

    /** For a lock without a lease of its own: a renewal only confirms that it is still there. */
    public HoldSettings renewedForEver() {
        return sharesGrants() ? this
                : new HoldSettings(manager, template, waitNanos, leaseNanos, true, Long.MAX_VALUE, onLost, holdAtLeastNanos,
                        mode,
                        limit, lingerNanos);
    }

    /** The duration in nanoseconds; for durations of centuries, the largest number that can still be added to a clock. */
    public static long saturated(Duration duration) {
        return duration.getSeconds() > 4_000_000_000L ? Long.MAX_VALUE / 2 : duration.toNanos();
    }
}
