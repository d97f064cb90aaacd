package io.quarkiverse.lock.runtime.call;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.runtime.method.LockedMethod;

/**
 * The holds of a call that blocks or returns a {@code CompletionStage}, handed from the outer interceptor to the inner one. An
 * interceptor between the two may have changed the arguments from which the names were made.
 */
final class InvocationHolds {

    private static final String HOLDS = "io.quarkiverse.lock.holds";

    private InvocationHolds() {
    }

    /** What is called next runs under these. */
    static void put(InvocationContext invocation, LockedMethod method, Held held) {
        if (method.transactional()) {
            invocation.getContextData().put(HOLDS, held);
        }
    }

    static @Nullable Held of(InvocationContext invocation) {
        return (Held) invocation.getContextData().get(HOLDS);
    }
}
