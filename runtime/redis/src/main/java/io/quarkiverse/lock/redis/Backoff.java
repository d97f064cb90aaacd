package io.quarkiverse.lock.redis;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Delays between attempts, with full jitter: after a restart of the server the JVMs must not all come back at once. */
final class Backoff {

    private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(2);

    private int attempts;

    long next() {
        long ceiling = Math.min(LONGEST, FIRST << Math.min(attempts++, 10));
        return ThreadLocalRandom.current().nextLong(ceiling) + 1;
    }

    void reset() {
        attempts = 0;
    }
}
