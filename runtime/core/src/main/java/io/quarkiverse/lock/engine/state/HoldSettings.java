package io.quarkiverse.lock.engine.state;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.text.PrintableName;

/**
 * How a lock is taken and kept, with nothing left to a default. One object serves all calls of a {@code @Locked} method.
 *
 * @param manager the name of the manager that it is taken through, for events
 * @param template the {@code @Locked} template for events, or {@code null}
 * @param maxHoldNanos {@link Long#MAX_VALUE} for no limit
 * @param onLost any but {@link OnLost#DEFAULT}
 * @param holdAtLeastNanos for how long from the grant the name stays taken even when it is released sooner; 0 for no such
 *        time. Only for a holder that has the name alone
 * @param limit 0 unless that many may hold it together
 * @param lingerNanos for how long this JVM keeps what it was granted when nobody holds it any more, for whoever of its callers
 *        comes next; 0 for not at all
 */
public record HoldSettings(String manager, @Nullable String template, long waitNanos, long leaseNanos, boolean renew,
        long maxHoldNanos,
        OnLost onLost, long holdAtLeastNanos, LockMode mode, int limit, long lingerNanos) {

    /** The lease outlives the holder, so a name that stays taken for some time needs one that is as long. */
    public HoldSettings {
        leaseNanos = Math.max(leaseNanos, holdAtLeastNanos);
    }

    /** Of what is given back at once. */
    public HoldSettings(String manager, @Nullable String template, long waitNanos, long leaseNanos, boolean renew,
            long maxHoldNanos, OnLost onLost, long holdAtLeastNanos, LockMode mode, int limit) {
        this(manager, template, waitNanos, leaseNanos, renew, maxHoldNanos, onLost, holdAtLeastNanos, mode, limit, 0);
    }

    public HoldSettings withWait(Duration wait) {
        return new HoldSettings(manager, template, saturated(wait), leaseNanos, renew, maxHoldNanos, onLost, holdAtLeastNanos,
                mode, limit, lingerNanos);
    }

    /** {@link #withWait}, as a caller says it. */
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

    /** Alone, as opposed to together with others who share it or are counted. */
    public boolean exclusive() {
        return mode == LockMode.EXCLUSIVE && limit == 0;
    }

    /** What traces, recordings and pages call the mode. */
    public String modeText() {
        return modeText(mode, limit);
    }

    /** The same of a holder that the store knows. */
    public static String modeText(LockMode mode, int limit) {
        return mode == LockMode.SHARED ? "shared" : limit > 0 ? "limited" : "exclusive";
    }

    /** Whether both may hold one name together, as far as their modes go. */
    public boolean goesWith(HoldSettings other) {
        return !exclusive() && mode == other.mode && limit > 0 == other.limit > 0;
    }

    /** Whether who has a hold like this needs nothing more to have one like the other. */
    boolean covers(HoldSettings nested) {
        return exclusive() || goesWith(nested);
    }

    /** @throws IllegalStateException if who has a hold like this would wait for itself when it takes the other */
    public void checkCovers(HoldSettings nested, String name) {
        if (!covers(nested)) {
            throw new IllegalStateException("Lock '" + PrintableName.of(name) + "' is already held " + kind()
                    + " here, and is wanted " + nested.kind() + ": that would wait for itself. Take it "
                    + nested.kind() + " outside, or leave the outer lock before");
        }
    }

    private String kind() {
        return limit > 0 ? "with a limit of " + limit : mode.name();
    }

    /** Kept for as long as it is not released, so that it can stand on a grant of others. */
    public boolean keptAlive() {
        return renew && maxHoldNanos == Long.MAX_VALUE;
    }

    /** For a lock that has no lease of its own: what is renewed is only the knowledge that it is there. */
    public HoldSettings renewedForEver() {
        return keptAlive() ? this
                : new HoldSettings(manager, template, waitNanos, leaseNanos, true, Long.MAX_VALUE, onLost, holdAtLeastNanos,
                        mode,
                        limit, lingerNanos);
    }

    /** Nanoseconds, or the largest number that can still be added to a clock for durations of centuries. */
    public static long saturated(Duration duration) {
        return duration.getSeconds() > 4_000_000_000L ? Long.MAX_VALUE / 2 : duration.toNanos();
    }
}
