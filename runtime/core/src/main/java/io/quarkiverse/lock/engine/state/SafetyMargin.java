package io.quarkiverse.lock.engine.state;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How much earlier than the backend a holder considers its lease ended, so that it knows before anybody else can be granted the
 * lock: a tenth of the lease, at most two seconds, unless configured.
 */
public final class SafetyMargin {

    private static final long AT_MOST = Duration.ofSeconds(2).toNanos();

    private final long configured;

    public SafetyMargin(@Nullable Duration configured) {
        this.configured = configured == null ? -1 : configured.toNanos();
    }

    long of(long leaseNanos) {
        long tenth = leaseNanos / 10;
        return configured < 0 ? Math.min(tenth, AT_MOST) : Math.min(configured, leaseNanos / 2);
    }
}
