package io.quarkiverse.lock.engine.queue;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.spi.Claim;

/**
 * Makes claims, each under a token of its own. For a store that others use as well it is 128 bits of the operating system's
 * randomness: copies of this process, which have its memory in common, do not get the same ones. A store inside this process is
 * copied with it, and there it is enough to count.
 */
public final class Claims {

    private static final int TOKEN_BYTES = 16;

    private final @Nullable OsRandom random;
    private final AtomicLong count = new AtomicLong();
    private final long afterLossNanos;

    /**
     * @param random {@code null} to count
     * @param afterLossNanos for how much longer the backend keeps what is not given back
     */
    public Claims(@Nullable OsRandom random, long afterLossNanos) {
        this.random = random;
        this.afterLossNanos = afterLossNanos;
    }

    public Claim make(String name, HoldSettings settings) {
        if (random == null) {
            return make(name, 0, count.incrementAndGet(), settings);
        }
        byte[] token = new byte[TOKEN_BYTES];
        random.fill(token);
        ByteBuffer halves = ByteBuffer.wrap(token);
        return make(name, halves.getLong(), halves.getLong(), settings);
    }

    /** Lets go of the operating system until the next claim. */
    public void close() {
        if (random != null) {
            random.close();
        }
    }

    private Claim make(String name, long tokenHigh, long tokenLow, HoldSettings settings) {
        return new Claim(name, tokenHigh, tokenLow, settings.mode(), settings.limit(),
                settings.leaseNanos() + afterLossNanos, settings.waitNanos() != 0);
    }
}
