package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * Why a wait ended without the lock.
 *
 * @param failure what went wrong; {@code null} if the lock was just busy
 * @param heldBy who holds it, as far as known
 * @param deadlock in what circle of callers it was waited for; {@code null} unless that is why
 */
public record Refusal(@Nullable RuntimeException failure, @Nullable String heldBy,
        @Nullable String deadlock) implements Ending {

    public static Refusal busy(@Nullable String heldBy) {
        return new Refusal(null, heldBy, null);
    }

    public static Refusal failed(RuntimeException failure) {
        return new Refusal(failure, null, null);
    }

    /** Busy, and it would have been for as long as this one waits. */
    public static Refusal deadlock(String heldBy, String circle) {
        return new Refusal(null, heldBy, circle);
    }

    public boolean busy() {
        return failure == null;
    }
}
