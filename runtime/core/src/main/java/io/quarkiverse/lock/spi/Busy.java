package io.quarkiverse.lock.spi;

import org.jspecify.annotations.Nullable;

/**
 * The backend's refusal of a claim that does not wait. Nothing of the claim remains in the store.
 *
 * @param heldBy describes the holder and how long it has held the lock, if known
 */
public record Busy(@Nullable String heldBy) implements Answer {
}
