package io.quarkiverse.lock.engine.news;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.HoldTrace;

/**
 * Follows holds for an observer that must know the caller of each. A {@code LockListener} cannot know that: it hears of a
 * grant on the thread that brings it, which may be the previous caller's.
 */
public interface Tracing {

    /**
     * Called on the thread and in the context of the caller, when it asks for a lock that it does not already have.
     *
     * @return {@code null} if nobody follows this one
     */
    @Nullable
    HoldTrace requested(String name, HoldSettings settings, String backend);

    /** An executor that runs tasks on {@code threads}, in the caller's current context. */
    Executor keepingContext(Executor threads);
}
