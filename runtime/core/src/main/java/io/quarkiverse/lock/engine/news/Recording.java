package io.quarkiverse.lock.engine.news;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.HoldSettings;

/**
 * Records long waits and holds, and losses, while somebody wants that. A wait is reported on the caller's thread if a thread
 * has waited, a hold where it is released.
 */
public interface Recording {

    /** Anything shorter is not reported; losses always are. */
    long thresholdNanos();

    /** How a wait has ended. */
    enum Outcome {
        GRANTED,
        BUSY,
        FAILED
    }

    /** @param heldBy who has the lock, if known; {@code null} if it was granted */
    void waited(Lock lock, Outcome outcome, @Nullable String heldBy, long nanos);

    void held(Lock lock, long nanos);

    /** @param nanos how long it had been held when the loss was noticed */
    void lost(Lock lock, @Nullable String why, long nanos);

    /** @param fencingToken 0 if it was not granted */
    record Lock(String name, HoldSettings settings, String backend, long fencingToken) {
    }
}
