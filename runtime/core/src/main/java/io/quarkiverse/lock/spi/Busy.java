package io.quarkiverse.lock.spi;

import org.jspecify.annotations.Nullable;

/**
 * The backend's no to a claim that does not wait. Nothing of the claim is left in the store.
 *
 * @param heldBy describes the holder and how long it has held the lock, as far as known
 */
public record Busy(@Nullable String heldBy) implements Answer {
}
