package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * Why a wait ended without the lock.
 *
 * @param failure what went wrong; {@code null} if the lock was just busy
 * @param heldBy the holder, if known
 * @param deadlock the circle of callers that wait for each other; {@code null} unless that is the reason
 */
public record Refusal(@Nullable RuntimeException failure, @Nullable String heldBy,
        @Nullable String deadlock) implements Ending {

    public static Refusal busy(@Nullable String heldBy) {
        return new Refusal(null, heldBy, null);
    }

    public static Refusal failed(RuntimeException failure) {
        return new Refusal(failure, null, null);
    }

    /** Busy, and it would stay so for as long as this caller waits. */
    public static Refusal deadlock(String heldBy, String circle) {
        return new Refusal(null, heldBy, circle);
    }

    public boolean busy() {
        return failure == null;
    }
}
