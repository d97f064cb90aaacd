package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

/**
 * Why a wait ended without the lock.
 *
 * @param failure what went wrong; {@code null} if the lock was just busy
 * @param heldBy who holds it, as far as known
 */
record Refusal(@Nullable RuntimeException failure, @Nullable String heldBy) {

    static Refusal busy(@Nullable String heldBy) {
        return new Refusal(null, heldBy);
    }

    static Refusal failed(RuntimeException failure) {
        return new Refusal(failure, null);
    }

    boolean busy() {
        return failure == null;
    }
}
