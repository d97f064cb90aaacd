package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;

/** A handle that tells at once whether it was lost, without another thread in between. */
interface Losable {

    /** {@code null} if it was not lost, or nothing is to fail for that. */
    @Nullable
    LockLostException lossSoFar();
}
