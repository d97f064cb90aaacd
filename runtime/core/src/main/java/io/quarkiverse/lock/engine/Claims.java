package io.quarkiverse.lock.engine;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.lock.spi.Claim;

/**
 * Makes claims, each under a token of its own: 64 bits that are random for each start of the engine, so that cloned machines
 * differ, and 64 that begin at random and count.
 */
final class Claims {

    private final long tokenHigh;
    private final AtomicLong tokenLow;

    private final long afterLossNanos;

    /** @param afterLossNanos for how much longer the backend keeps what is not given back */
    Claims(SecureRandom random, long afterLossNanos) {
        this.afterLossNanos = afterLossNanos;
        tokenHigh = random.nextLong();
        tokenLow = new AtomicLong(random.nextLong());
    }

    Claim make(String name, HoldSettings settings) {
        return new Claim(name, tokenHigh, tokenLow.getAndIncrement(), settings.mode(), settings.limit(),
                settings.leaseNanos() + afterLossNanos, settings.waitNanos() != 0);
    }
}
