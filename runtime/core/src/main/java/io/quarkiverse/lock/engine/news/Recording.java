package io.quarkiverse.lock.engine.news;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.HoldSettings;

/**
 * Writes down long waits and holds, and losses, if anybody wants that at the moment. A wait is told of on the caller's thread
 * where one has waited, a hold where it is released.
 */
public interface Recording {

    /** What is shorter is not told; losses always are. */
    long thresholdNanos();

    /** How a wait has ended. */
    enum Outcome {
        GRANTED,
        BUSY,
        FAILED
    }

    /** @param heldBy who has the lock, as far as known; {@code null} if it was granted */
    void waited(Lock lock, Outcome outcome, @Nullable String heldBy, long nanos);

    void held(Lock lock, long nanos);

    /** @param nanos for how long it had been held when that was noticed */
    void lost(Lock lock, @Nullable String why, long nanos);

    /** @param fencingToken 0 where it was not granted */
    record Lock(String name, HoldSettings settings, String backend, long fencingToken) {
    }
}
