package io.quarkiverse.lock.engine.thread;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;

/** What the engine's own handles can report at once, without involving another thread. */
public interface Losable {

    /** Whether it can let readers in without giving up the lock, as far as can be known before trying. */
    boolean mayBeDowngraded();

    /** {@code null} if it was not lost, or its loss is no failure. */
    @Nullable
    LockLostException lossSoFar();
}
