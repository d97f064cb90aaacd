package io.quarkiverse.lock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.spi.LockEvent;

/**
 * What a manager uses where a lock does not say otherwise.
 *
 * @param name the manager's name, for messages and events
 * @param maxHold {@code null} for no limit
 * @param onLost any but {@link OnLost#DEFAULT}
 * @param linger how long a JVM keeps a lock that nobody holds any more, for its own next caller; at most half of a lease
 */
public record ManagerDefaults(String name, Duration waitFor, Duration lease, boolean renew, @Nullable Duration maxHold,
        OnLost onLost, Duration linger) {

    /** Wait 10 s, lease 30 s, renewed without limit, FAIL on loss. */
    public static final ManagerDefaults STANDARD = new ManagerDefaults(LockEvent.DEFAULT_MANAGER, Duration.ofSeconds(10),
            Duration.ofSeconds(30), true, null, OnLost.FAIL);

    /** With locks that are given back at once. */
    public ManagerDefaults(String name, Duration waitFor, Duration lease, boolean renew, @Nullable Duration maxHold,
            OnLost onLost) {
        this(name, waitFor, lease, renew, maxHold, onLost, Duration.ZERO);
    }

    public ManagerDefaults {
        new LockOptions(waitFor, lease, renew, maxHold, null, LockMode.EXCLUSIVE, 0);
    }

    /** These defaults, changed by what the options say. */
    HoldSettings with(LockOptions options) {
        Duration longest = options.maxHold() != null ? options.maxHold() : maxHold;
        long leaseNanos = (options.lease() != null ? options.lease() : lease).toNanos();
        return new HoldSettings(name, null,
                HoldSettings.saturated(options.waitFor() != null ? options.waitFor() : waitFor),
                leaseNanos,
                options.renew() != null ? options.renew() : renew,
                longest == null ? Long.MAX_VALUE : HoldSettings.saturated(longest),
                onLost,
                options.holdAtLeast() == null ? 0 : options.holdAtLeast().toNanos(),
                options.mode(), options.limit(), Math.min(linger.toNanos(), leaseNanos / 2));
    }
}
