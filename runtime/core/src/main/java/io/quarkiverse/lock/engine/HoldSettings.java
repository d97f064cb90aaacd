package io.quarkiverse.lock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;

/**
 * How a lock is taken and kept, with nothing left to a default. One object serves all calls of a {@code @Locked} method.
 *
 * @param template the {@code @Locked} template for events, or {@code null}
 * @param maxHoldNanos {@link Long#MAX_VALUE} for no limit
 * @param onLost any but {@link OnLost#DEFAULT}
 */
public record HoldSettings(@Nullable String template, long waitNanos, long leaseNanos, boolean renew, long maxHoldNanos,
        OnLost onLost) {

    /** The defaults of a manager, changed by what the options say. */
    static HoldSettings of(ManagerDefaults defaults, LockOptions options) {
        Duration maxHold = options.maxHold() != null ? options.maxHold() : defaults.maxHold();
        return new HoldSettings(null,
                saturated(options.waitFor() != null ? options.waitFor() : defaults.waitFor()),
                (options.lease() != null ? options.lease() : defaults.lease()).toNanos(),
                options.renew() != null ? options.renew() : defaults.renew(),
                maxHold == null ? Long.MAX_VALUE : saturated(maxHold),
                defaults.onLost());
    }

    HoldSettings withWait(Duration wait) {
        return new HoldSettings(template, saturated(wait), leaseNanos, renew, maxHoldNanos, onLost);
    }

    /** For a lock that has no lease of its own: what is renewed is only the knowledge that it is there. */
    HoldSettings renewedForEver() {
        return renew && maxHoldNanos == Long.MAX_VALUE ? this
                : new HoldSettings(template, waitNanos, leaseNanos, true, Long.MAX_VALUE, onLost);
    }

    /** Nanoseconds, or the largest number that can still be added to a clock for durations of centuries. */
    static long saturated(Duration duration) {
        return duration.getSeconds() > 4_000_000_000L ? Long.MAX_VALUE / 2 : duration.toNanos();
    }
}
