package io.quarkiverse.lock.engine.state;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Grant;

/**
 * For how long one grant may be handed on inside this JVM: a moment once another JVM may wait, longer while it would be known,
 * but never for good, since the news of a waiter can get lost. While others may wait it is also so many times at most, so that
 * JVMs whose threads are quick get no more of the lock than others.
 */
public final class Slice {

    private static final long NO_WAITERS_KNOWN = Duration.ofSeconds(1).toNanos();
    /** Of holds that do nearly nothing; others do not get that far in the time. */
    private static final int HAND_OVERS = 320;

    private final long configured;

    public Slice(@Nullable Duration configured) {
        this.configured = (configured == null ? Duration.ofMillis(5) : configured).toNanos();
    }

    /** In nanoseconds. */
    long length(boolean othersMayWait) {
        return othersMayWait ? configured : NO_WAITERS_KNOWN;
    }

    int handOvers(boolean othersMayWait) {
        return othersMayWait ? HAND_OVERS : Grant.TOKENS_PER_FENCE;
    }
}
