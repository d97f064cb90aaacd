package io.quarkiverse.lock.spi;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Delays between attempts, doubling from 50 ms up to a maximum, with full jitter: after a server restart the JVMs must not all
 * come back at once. Not thread-safe.
 *
 * <pre>{@code
 * Backoff backoff = new Backoff(Duration.ofSeconds(2));
 * time.schedule(this::tryAgain, backoff.next());
 * }</pre>
 */
public final class Backoff {

    private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(50);

    private final long longest;
    private int attempts;

    /** @param longest the maximum delay */
    public Backoff(Duration longest) {
        this.longest = longest.toNanos();
    }

    /** The delay before the next attempt, in ns. */
    public long next() {
        long ceiling = Math.min(longest, FIRST << Math.min(attempts++, 10));
        return ThreadLocalRandom.current().nextLong(ceiling) + 1;
    }

    /** An attempt has succeeded: the next delay is short again. */
    public void reset() {
        attempts = 0;
    }
}
