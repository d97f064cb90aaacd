package io.quarkiverse.lock.engine.reactive;

import org.jspecify.annotations.Nullable;

/** Decides while the lock is still held whether the item of a {@code Uni} or a {@code CompletionStage} is a result. */
@FunctionalInterface
public interface ItemCheck {

    /** Accepts every item. */
    ItemCheck ANY = item -> null;

    /** The failure to report instead; {@code null} if there is none. */
    @Nullable
    Throwable problem(@Nullable Object item);
}
