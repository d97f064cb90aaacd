package io.quarkiverse.lock.engine.thread;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.state.Held;

/** What the engine's own handles can report at once, without involving another thread. */
public interface Losable {

    /** What it holds: one hold, or one of each name; they may be others' that it has joined. */
    Held held();

    /** Whether it can let readers in without giving up the lock, as far as can be known before trying. */
    boolean mayBeDowngraded();

    /** {@code null} if it was not lost, or its loss is no failure. */
    @Nullable
    LockLostException lossSoFar();
}
