package io.quarkiverse.lock.engine.thread;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;

/** What the engine's own handles tell at once, without another thread in between. */
public interface Losable {

    /** Whether it can let readers in without giving the lock up, as far as anybody knows before it is asked. */
    boolean mayBeDowngraded();

    /** {@code null} if it was not lost, or nothing is to fail for that. */
    @Nullable
    LockLostException lossSoFar();
}
