package io.quarkiverse.lock.engine.state;

import org.jspecify.annotations.Nullable;

/**
 * Why a wait ended without the lock.
 *
 * @param failure what went wrong; {@code null} if the lock was just busy
 * @param heldBy who holds it, as far as known
 */
public record Refusal(@Nullable RuntimeException failure, @Nullable String heldBy) implements Ending {

    public static Refusal busy(@Nullable String heldBy) {
        return new Refusal(null, heldBy);
    }

    public static Refusal failed(RuntimeException failure) {
        return new Refusal(failure, null);
    }

    public boolean busy() {
        return failure == null;
    }
}
