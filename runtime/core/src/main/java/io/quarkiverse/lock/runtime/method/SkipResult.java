package io.quarkiverse.lock.runtime.method;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/** What a skipped method returns, or what its {@code Uni} or {@code CompletionStage} completes with. */
public enum SkipResult {
    NULL(null),
    OPTIONAL(Optional.empty()),
    OPTIONAL_INT(OptionalInt.empty()),
    OPTIONAL_LONG(OptionalLong.empty()),
    OPTIONAL_DOUBLE(OptionalDouble.empty());

    private final @Nullable Object value;

    SkipResult(@Nullable Object value) {
        this.value = value;
    }

    @Nullable
    Object value() {
        return value;
    }
}
