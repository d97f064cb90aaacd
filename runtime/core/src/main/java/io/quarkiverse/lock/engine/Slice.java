package io.quarkiverse.lock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * For how long one grant may be handed on inside this JVM: a moment once another JVM is known to wait, longer otherwise, but
 * never for good, since the news of a waiter can get lost.
 */
final class Slice {

    private static final long UNKNOWN_WAITERS = Duration.ofSeconds(1).toNanos();

    private final long knownWaiters;

    Slice(@Nullable Duration configured) {
        knownWaiters = (configured == null ? Duration.ofMillis(5) : configured).toNanos();
    }

    /** @param sinceOthersWait negative while nobody else is known to wait */
    boolean allows(long sinceGrant, long sinceOthersWait) {
        return sinceGrant < UNKNOWN_WAITERS && sinceOthersWait < knownWaiters;
    }
}
