package io.quarkiverse.lock.engine.news;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.HoldTrace;

/**
 * Follows holds for somebody outside who has to know whose each of them is. A {@code LockListener} cannot know that: it hears
 * of a grant where that was brought, which may be the thread of the caller before.
 */
public interface Tracing {

    /**
     * On the thread and in the context of the caller, when it asks for a lock that it does not have already.
     *
     * @return {@code null} if nobody follows this one
     */
    @Nullable
    HoldTrace requested(String name, HoldSettings settings, String backend);

    /** Runs its tasks on {@code threads}, in the context that is the caller's now. */
    Executor keepingContext(Executor threads);
}
