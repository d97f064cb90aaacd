package io.quarkiverse.lock.spi;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Delays between attempts, doubled from 50 ms on up to a longest one, with full jitter: after a restart of the server the JVMs
 * must not all come back at once. For one thread.
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

    /** @param longest no delay is longer */
    public Backoff(Duration longest) {
        this.longest = longest.toNanos();
    }

    /** The delay before the next attempt, in ns. */
    public long next() {
        long ceiling = Math.min(longest, FIRST << Math.min(attempts++, 10));
        return ThreadLocalRandom.current().nextLong(ceiling) + 1;
    }

    /** An attempt has succeeded: the next delay is a short one again. */
    public void reset() {
        attempts = 0;
    }
}
